// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/pipeline/system_compiler.hpp"

#include <sys/wait.h>
#include <unistd.h>
#include <wordexp.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "kernels/embedded_sources.hpp"
#include "lib/base/error.hpp"

namespace ringside::pipeline {
namespace {

namespace fs = std::filesystem;

/// $CXX as a shell takes it, such as "ccache g++ -m64".
std::vector<std::string> compiler() {
  const char* const chosen = std::getenv("CXX");
  if (chosen == nullptr) return {"c++"};
  wordexp_t found{};
  const int wrong = ::wordexp(chosen, &found, WRDE_NOCMD);
  std::vector<std::string> words;
  // Of the errors, this one leaves memory behind.
  if (wrong == 0 || wrong == WRDE_NOSPACE) {
    words.assign(found.we_wordv, found.we_wordv + found.we_wordc);
    ::wordfree(&found);
  }
  if (wrong != 0) {
    throw Error(fmt::format("CXX is not a command with arguments: '{}'", chosen),
                "set it to one, such as 'g++ -m64', with quotes about what has blanks");
  }
  return words.empty() ? std::vector<std::string>{"c++"} : words;
}

/// Without folders and files.
std::vector<std::string> command() {
  std::vector<std::string> words = compiler();
  for (const char* const option : {"-std=c++20", "-O2", "-fPIC", "-shared", "-Wall"}) {
    words.emplace_back(option);
  }
  return words;
}

void write_headers(const fs::path& folder) {
  for (const SourceFile& file : embedded_sources()) {
    const fs::path path = folder / file.name;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    std::ofstream written(path);
    written << file.text;
    written.close();
    if (!written) {
      throw Error(fmt::format("cannot write {}", path.string()),
                  "set TMPDIR to a folder that has some space");
    }
  }
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

CommandEnd run(const std::vector<std::string>& words, std::chrono::milliseconds limit,
               const GiveUp& give_up) {
  try {
    return run_bounded(words, limit, give_up);
  } catch (const Error& error) {
    throw Error("there is no compiler: " + error.problem(),
                "install a C++ compiler, or set CXX to one");
  }
}

std::string late_end(const std::string& program, std::chrono::milliseconds limit) {
  return fmt::format("the compiler {} did not end within {} s and was killed", program,
                     std::chrono::duration<double>(limit).count());
}

std::string silent_end(const std::string& program, int status) {
  return WIFSIGNALED(status) ? fmt::format("{} was ended by signal {}", program, WTERMSIG(status))
                             : fmt::format("{} ended with exit code {} and said nothing", program,
                                           WEXITSTATUS(status));
}

/// As execvp() would find it.
fs::path in_path(const std::string& program) {
  if (program.find('/') != std::string::npos) return program;
  const char* const path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder) / program;
    if (::access(file.c_str(), X_OK) == 0) return file;
  }
  return program;
}

/// Another file there has another time or size.
std::string identity(const fs::path& link) {
  std::error_code missing;
  const fs::path file = fs::canonical(link, missing);
  const auto written = fs::last_write_time(file, missing).time_since_epoch().count();
  return fmt::format("{} {} {}\n", file.string(), fs::file_size(file, missing), written);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::error_code none;
  const fs::path temporary = fs::temp_directory_path(none);
  if (none) {
    throw Error(fmt::format("there is no folder for temporary files: {}", none.message()),
                "set TMPDIR to a folder that may be written");
  }
  std::string name = temporary / "ringside-stage-XXXXXX";
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(fmt::format("cannot make the folder {}: {}", name, errno_text(errno)),
                "set TMPDIR to a folder that may be written");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Compiled compile_shared_object(const fs::path& source, const fs::path& object,
                               const GiveUp& give_up, std::chrono::milliseconds limit) {
  const TemporaryFolder headers;
  write_headers(headers.path());
  std::vector<std::string> words = command();
  words.insert(words.end(), {"-I" + headers.path().string(), source, "-o", object});
  CommandEnd end = run(words, limit, give_up);
  if (!end.in_time) return {false, false, late_end(words[0], limit)};
  if (end.status != 0 && end.said.empty()) end.said = silent_end(words[0], end.status);
  replace_all(end.said, headers.path().string() + "/", "");  // they are gone when that is read
  return {end.status == 0, true, std::move(end.said)};
}

std::string first_error(const std::string& said) {
  std::istringstream lines(said);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error:") != std::string::npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

std::string compiler_key(const GiveUp& give_up, std::chrono::milliseconds limit) {
  std::string key;
  std::vector<std::string> words = compiler();
  // Behind a wrapper such as ccache stands the compiler.
  for (const std::string& word : words) {
    if (!word.starts_with('-')) key += identity(in_path(word));
  }
  // Or behind a script, that only its version tells of.
  words.emplace_back("--version");
  const CommandEnd version = run(words, limit, give_up);
  if (!version.in_time) throw Error(late_end(words[0], limit), "set CXX to another one");
  key += version.said;
  for (const char* const name :
       {"COMPILER_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "GCC_EXEC_PREFIX", "LIBRARY_PATH"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) key += fmt::format("{}={}\n", name, value);
  }
  for (const std::string& word : command()) key += word + '\n';
  for (const SourceFile& file : embedded_sources()) {
    key += fmt::format("{}\n{}\n", file.name, file.text);
  }
  return key;
}

}  // namespace ringside::pipeline
