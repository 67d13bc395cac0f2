// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/table_file.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "lib/base/text.hpp"
#include "lib/pipeline/address.hpp"
#include "lib/pipeline/source_text.hpp"
#include "lib/pipeline/units.hpp"

namespace ringside::pipeline {
namespace {

constexpr std::size_t kMaxTableBytes = std::size_t{1} << 30;
constexpr std::size_t kMaxComplaints = 20;

constexpr std::uint8_t kTcp = 6;
constexpr std::uint8_t kUdp = 17;

template <class T>
bool take_number(std::string_view text, T& into) {
  const auto value = parse_quantity(text, Unit::kNone);
  if (!value || *value > std::numeric_limits<T>::max()) return false;
  into = static_cast<T>(*value);
  return true;
}

bool take_address(std::string_view text, IpAddress& into) {
  const auto address = parse_ip(text);
  if (address) into = *address;
  return address.has_value();
}

struct Column {
  std::string_view name;
  std::string_view allowed;
  bool needed;
  bool (*take)(std::string_view, TableEntry&);
};
constexpr Column kColumns[] = {
    {"src", "an IPv4 or IPv6 address", true,
     [](std::string_view text, TableEntry& entry) { return take_address(text, entry.src); }},
    {"dst", "an IPv4 or IPv6 address", true,
     [](std::string_view text, TableEntry& entry) { return take_address(text, entry.dst); }},
    {"proto", "0 to 255", true,
     [](std::string_view text, TableEntry& entry) { return take_number(text, entry.proto); }},
    {"src_port", "0 to 65535", false,
     [](std::string_view text, TableEntry& entry) { return take_number(text, entry.src_port); }},
    {"dst_port", "0 to 65535", false,
     [](std::string_view text, TableEntry& entry) { return take_number(text, entry.dst_port); }},
    {"value", "0 to 4294967295", false,
     [](std::string_view text, TableEntry& entry) { return take_number(text, entry.value); }},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// One line of the file, cell by cell.
class Line {
 public:
  Line(std::string_view text, int number) : text_(text), number_(number) {}

  bool next(std::string_view& cell) {
    if (at_ > text_.size()) return false;
    begin_ = at_;
    const std::size_t end = std::min(text_.find(',', at_), text_.size());
    cell = trimmed(text_.substr(at_, end - at_));
    at_ = end + 1;
    return true;
  }
  Mark mark() const { return {number_, static_cast<int>(begin_) + 1}; }

 private:
  std::string_view text_;
  int number_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;
};

class TableReader {
 public:
  TableReader(const std::string& file, Problems& problems) : file_(file), problems_(problems) {}

  std::vector<TableEntry> read(std::string_view text) {
    std::vector<TableEntry> entries;
    int number = 0;
    bool headed = false;
    while (!text.empty() && complaints_ <= kMaxComplaints) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view content = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (trimmed(content).empty() || trimmed(content).starts_with('#')) continue;
      Line line(content, number);
      if (!headed) {
        if (!read_header(line)) return {};
        headed = true;
      } else if (const auto entry = read_entry(line)) {
        entries.push_back(*entry);
      }
    }
    if (!headed) complain({1, 1}, "no line of column names: begin with src,dst,proto");
    return entries;
  }

 private:
  void complain(Mark mark, std::string text) {
    if (complaints_ > kMaxComplaints) return;  // said
    if (++complaints_ > kMaxComplaints) text = "and more; the rest of the file was not looked at";
    problems_.error_in(file_, mark, std::move(text));
  }

  bool read_header(Line& line) {
    const std::size_t complaints = complaints_;
    std::string_view cell;
    while (line.next(cell)) {
      const Column* known = nullptr;
      for (const Column& column : kColumns) {
        if (column.name == cell) known = &column;
      }
      if (known == nullptr) {
        complain(line.mark(), fmt::format("{}: no column has this name; there is src, dst, proto, "
                                          "src_port, dst_port, value",
                                          in_quotes(cell)));
      } else if (std::ranges::find(columns_, known) != columns_.end()) {
        complain(line.mark(), fmt::format("{} is a column already", cell));
      }
      columns_.push_back(known);
    }
    for (const Column& column : kColumns) {
      if (column.needed && std::ranges::find(columns_, &column) == columns_.end()) {
        complain({line.mark().line, 1}, fmt::format("column {} is missing", column.name));
      }
    }
    return complaints_ == complaints;
  }

  std::optional<TableEntry> read_entry(Line& line) {
    const std::size_t complaints = complaints_;
    TableEntry entry;
    std::size_t count = 0;
    std::string_view cell;
    for (; line.next(cell); ++count) {
      if (count >= columns_.size()) continue;
      const Column& column = *columns_[count];
      if (!column.take(cell, entry)) {
        complain(line.mark(),
                 fmt::format("{}: {}: use {}", column.name, in_quotes(cell), column.allowed));
      }
    }
    const Mark start{line.mark().line, 1};
    if (count != columns_.size()) {
      complain(start, fmt::format("{} cells for {} columns", count, columns_.size()));
    }
    if (complaints_ != complaints) return std::nullopt;
    if (std::string why = complaint_of(entry); !why.empty()) {
      complain(start, std::move(why));
      return std::nullopt;
    }
    const auto [first, is_new] = lines_.try_emplace(key_of(entry), start.line);
    if (!is_new) {
      complain(start, fmt::format("line {} has this five-tuple already", first->second));
      return std::nullopt;
    }
    return entry;
  }

  const std::string& file_;
  Problems& problems_;
  std::vector<const Column*> columns_;
  std::unordered_map<std::string, int> lines_;
  std::size_t complaints_ = 0;
};

}  // namespace

std::vector<TableEntry> read_table_file(const std::string& file, const std::string& folder,
                                        const std::string& path, Problems& problems) {
  const std::string found = (std::filesystem::path(folder) / file).lexically_normal();
  std::string why;
  const auto text = read_file(found, kMaxTableBytes, why);
  if (!text) {
    problems.error(path, fmt::format("{}: {}", in_quotes(file), why));
    return {};
  }
  return read_table_text(*text, found, problems);
}

std::vector<TableEntry> read_table_text(std::string_view text, const std::string& file,
                                        Problems& problems) {
  return TableReader(file, problems).read(without_bom(text));
}

std::string complaint_of(const TableEntry& entry) {
  if (entry.src.v6 != entry.dst.v6) return "src and dst are of two families: use IPv4 or IPv6";
  // As five_tuple() takes them from packets: an entry with others would never be found.
  const bool ports = entry.proto == kTcp || entry.proto == kUdp;
  if (!ports && (entry.src_port != 0 || entry.dst_port != 0)) {
    return fmt::format("protocol {}: only TCP's and UDP's ports are looked up, leave them 0",
                       entry.proto);
  }
  return {};
}

std::string key_of(const TableEntry& entry) {
  std::string key;
  for (const IpAddress* const address : {&entry.src, &entry.dst}) {
    key.append(address->bytes.begin(), address->bytes.end());
  }
  for (const std::uint16_t port : {entry.src_port, entry.dst_port}) {
    key += {static_cast<char>(port >> 8), static_cast<char>(port)};
  }
  key += {static_cast<char>(entry.proto), static_cast<char>(entry.src.v6)};
  return key;
}

}  // namespace ringside::pipeline
