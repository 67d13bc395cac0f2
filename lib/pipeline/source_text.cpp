// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/source_text.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"

namespace ringside::pipeline {
namespace {

/// Bytes of the UTF-8 sequence that `text` begins with; 0: none (Unicode 15, table 3-7).
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&text](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const std::uint8_t first = byte(0);
  if (first < 0x80) return 1;
  std::size_t length = 0;
  std::uint8_t low = 0x80;
  std::uint8_t high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (byte(1) < low || byte(1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  return length;
}

std::string complaint(std::string_view rest, bool indentation) {
  const auto byte = static_cast<std::uint8_t>(rest.front());
  if (byte == '\t') {
    return indentation ? "a tab as indentation: YAML wants spaces" : std::string();
  }
  if (indentation && rest.starts_with("\xc2\xa0")) {
    return "a no-break space as indentation: YAML wants spaces";
  }
  if (byte == '\r' && !rest.starts_with("\r\n")) {
    return "a carriage return alone: end lines with a line feed";
  }
  if (byte == 0) return "a NUL byte: this is no text file";
  if ((byte < 0x20 && byte != '\n' && byte != '\r') || byte == 0x7f) {
    return fmt::format("control character {:#04x}: remove it", byte);
  }
  if (utf8_length(rest) == 0) {
    return fmt::format("byte {:#04x} is no UTF-8: save the file as UTF-8", byte);
  }
  return {};
}

}  // namespace

std::optional<std::string> read_file(const std::string& file, std::size_t limit, std::string& why) {
  const auto refuse = [&why](std::string text) {
    why = std::move(text);
    return std::nullopt;
  };
  // Not blocking: a FIFO without a writer would hold the open for ever.
  const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return refuse(fmt::format("cannot be opened, {}", errno_text(errno)));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) {
    return refuse(fmt::format("cannot be read, {}", errno_text(errno)));
  }
  if (S_ISDIR(status.st_mode)) return refuse("is a folder: name a file in it");
  if (!S_ISREG(status.st_mode)) return refuse("is no regular file");
  std::string text;
  for (;;) {
    constexpr std::size_t kChunk = std::size_t{64} << 10;
    const std::size_t have = text.size();
    text.resize(have + kChunk);
    const ssize_t got = ::read(fd.get(), text.data() + have, kChunk);
    if (got < 0) return refuse(fmt::format("cannot be read, {}", errno_text(errno)));
    text.resize(have + static_cast<std::size_t>(got));
    if (text.size() > limit) {
      return refuse(fmt::format("is larger than the {} MiB that are allowed", limit >> 20));
    }
    if (got == 0) return text;
  }
}

bool check_characters(std::string_view text, Problems& problems) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
    problems.error(Mark{1, 1}, "", "this is UTF-16: save the file as UTF-8");
    return false;
  }
  Mark mark{1, 1};
  bool indentation = true;
  while (!text.empty()) {
    std::string why = complaint(text, indentation);
    if (!why.empty()) {
      problems.error(mark, "", std::move(why));
      return false;
    }
    const char first = text.front();
    text.remove_prefix(utf8_length(text));
    if (first == '\n') {
      mark = {mark.line + 1, 1};
      indentation = true;
    } else {
      ++mark.column;
      indentation = indentation && first == ' ';
    }
  }
  return true;
}

std::string_view without_bom(std::string_view text) {
  constexpr std::string_view kBom = "\xef\xbb\xbf";
  if (text.starts_with(kBom)) text.remove_prefix(kBom.size());
  return text;
}

}  // namespace ringside::pipeline
