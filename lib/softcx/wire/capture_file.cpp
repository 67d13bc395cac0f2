// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/wire/capture_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"

namespace softcx {
namespace {

// The classic file header (pcap-savefile(5)): magic at 0, snapshot length at 16, in the byte order
// of the magic.
constexpr off64_t kSnapshotOffset = 16;
constexpr std::uint32_t kMaxSnapshot = 262144;
constexpr std::uint32_t kMagicMicroseconds = 0xa1b2c3d4;
constexpr std::uint32_t kMagicNanoseconds = 0xa1b23c4d;

struct Stream {
  ringside::UniqueFd fd;
  off64_t position = 0;
  bool classic = false;
  std::array<char, sizeof(kMaxSnapshot)> snapshot{};
};

void recognize(Stream& stream) {
  std::uint32_t magic = 0;
  if (pread(stream.fd.get(), &magic, sizeof(magic), 0) != sizeof(magic)) return;
  const auto is = [](std::uint32_t value) {
    return value == kMagicMicroseconds || value == kMagicNanoseconds;
  };
  const bool swapped = is(__builtin_bswap32(magic));
  stream.classic = swapped || is(magic);
  const std::uint32_t snapshot = swapped ? __builtin_bswap32(kMaxSnapshot) : kMaxSnapshot;
  std::memcpy(stream.snapshot.data(), &snapshot, sizeof(snapshot));
}

ssize_t read_stream(void* cookie, char* buffer, std::size_t size) {
  auto& stream = *static_cast<Stream*>(cookie);
  const ssize_t got = pread(stream.fd.get(), buffer, size, stream.position);
  if (got <= 0) return got;
  if (stream.classic) {
    for (std::size_t i = 0; i < stream.snapshot.size(); ++i) {
      const off64_t at = kSnapshotOffset + static_cast<off64_t>(i) - stream.position;
      if (at >= 0 && at < got) buffer[at] = stream.snapshot[i];
    }
  }
  stream.position += got;
  return got;
}

int seek_stream(void* cookie, off64_t* offset, int whence) {
  auto& stream = *static_cast<Stream*>(cookie);
  const off64_t base = whence == SEEK_CUR   ? stream.position
                       : whence == SEEK_END ? lseek64(stream.fd.get(), 0, SEEK_END)
                                            : 0;
  if (base + *offset < 0) {
    errno = EINVAL;
    return -1;
  }
  *offset = stream.position = base + *offset;
  return 0;
}

int close_stream(void* cookie) {
  delete static_cast<Stream*>(cookie);
  return 0;
}

}  // namespace

PcapHandle open_capture(const std::string& path, std::string& reason) {
  auto stream = std::make_unique<Stream>();
  stream->fd = ringside::UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!stream->fd) {
    reason = ringside::errno_text(errno);
    return nullptr;
  }
  recognize(*stream);
  const cookie_io_functions_t functions{read_stream, nullptr, seek_stream, close_stream};
  std::FILE* file = fopencookie(stream.get(), "r", functions);
  if (file == nullptr) {
    reason = ringside::errno_text(errno);
    return nullptr;
  }
  static_cast<void>(stream.release());  // now the FILE's, which libpcap closes
  std::array<char, PCAP_ERRBUF_SIZE> text{};
  PcapHandle handle(
      pcap_fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, text.data()));
  if (!handle) {
    reason = text.data();
    std::fclose(file);
  }
  return handle;
}

}  // namespace softcx
