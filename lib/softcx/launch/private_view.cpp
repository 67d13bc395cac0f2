// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
#include "lib/softcx/launch/private_view.hpp"

#include <fcntl.h>
#include <mntent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/error.hpp"
#include "lib/base/unique_fd.hpp"

namespace softcx {
namespace {

namespace fs = std::filesystem;
using ringside::errno_text;
using ringside::Error;
using ringside::UniqueFd;

constexpr unsigned long kPlain = MS_NOSUID | MS_NODEV | MS_NOEXEC;

struct Mount {
  std::string type;
  std::string folder;
};

std::vector<Mount> list_mounts() {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> table(setmntent("/proc/self/mounts", "r"),
                                                              endmntent);
  if (!table) {
    throw Error(fmt::format("cannot read /proc/self/mounts: {}", errno_text(errno)),
                "softcx run needs /proc");
  }
  std::vector<Mount> mounts;
  while (const mntent* entry = getmntent(table.get())) {
    mounts.push_back({entry->mnt_type, entry->mnt_dir});
  }
  return mounts;
}

void mount_new(const char* type, const std::string& folder, unsigned long flags,
               const std::string& options = {}) {
  if (mount(type, folder.c_str(), type, flags, options.c_str()) != 0) {
    throw Error(fmt::format("cannot mount {} on '{}': {}", type, folder, errno_text(errno)),
                "softcx run needs the right to mount, which some containers take from root");
  }
}

/// A detached copy of what is visible at a path, to be attached at the same path later.
class KeptTree {
 public:
  explicit KeptTree(std::string path)
      : path_(std::move(path)),
        tree_(open_tree(AT_FDCWD, path_.c_str(),
                        OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW)) {
  }

  const std::string& path() const { return path_; }

  /// Best effort: what vanished meanwhile, or has no place in the new file system, stays away.
  void attach() const {
    move_mount(tree_.get(), "", AT_FDCWD, path_.c_str(), MOVE_MOUNT_F_EMPTY_PATH);
  }

 private:
  std::string path_;
  UniqueFd tree_;
};

bool is_below(std::string_view path, std::string_view folder) {
  return path.size() > folder.size() && path.starts_with(folder) && path[folder.size()] == '/';
}

void mount_sysfs() {
  std::vector<KeptTree> kept;  // cgroup, debugfs and whatever else is mounted there
  for (const auto& [type, folder] : list_mounts()) {
    if (!is_below(folder, "/sys")) continue;
    const bool nested =
        !kept.empty() && (folder == kept.back().path() || is_below(folder, kept.back().path()));
    if (!nested) kept.emplace_back(folder);
  }
  mount_new("sysfs", "/sys", kPlain);
  for (const auto& tree : kept) tree.attach();
}

void mount_shared_memory() {
  struct Entry {
    KeptTree tree;
    bool folder;
  };
  std::vector<Entry> kept;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    if (entry.path() != kRoot && !entry.is_symlink()) {
      kept.push_back({KeptTree(entry.path()), entry.is_directory()});
    }
  }
  mount_new("tmpfs", "/dev/shm", MS_NOSUID | MS_NODEV, "mode=1777");
  for (const auto& [tree, folder] : kept) {
    if (folder) {
      fs::create_directory(tree.path());
    } else {
      std::ofstream(tree.path()).close();
    }
    tree.attach();
  }
}

/// DPDK takes the first hugetlbfs of the right page size in /proc/mounts; a file in one of the
/// machine's would outlive the command.
void mount_hugepages() {
  for (const auto& [type, folder] : list_mounts()) {
    if (type == "hugetlbfs") umount2(folder.c_str(), MNT_DETACH);
  }
  const fs::path sizes = "/sys/kernel/mm/hugepages";
  if (!fs::is_directory(sizes)) return;
  for (const auto& size : fs::directory_iterator(sizes)) {
    unsigned long pages = 0;
    std::ifstream(size.path() / "nr_hugepages") >> pages;
    const std::string name = size.path().filename();  // hugepages-2048kB
    const auto dash = name.find('-');
    if (pages == 0 || dash == name.npos) continue;
    const fs::path folder = fs::path(kRoot) / name;
    fs::create_directory(folder);
    const std::string kilobytes = name.substr(dash + 1, name.size() - dash - 3);
    mount_new("hugetlbfs", folder, MS_NOSUID | MS_NODEV,
              fmt::format("mode=0700,pagesize={}K", kilobytes));
  }
}

}  // namespace

void leave_namespaces() {
  if (unshare(CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID) != 0) {
    throw Error(fmt::format("cannot make namespaces: {}", errno_text(errno)),
                "softcx run needs mount, network and PID namespaces, which some containers forbid");
  }
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    throw Error(fmt::format("cannot make the mounts private: {}", errno_text(errno)),
                "softcx run needs the right to mount, which some containers take from root");
  }
}

void mount_private_view() {
  mount_new("proc", "/proc", kPlain);
  mount_sysfs();
  mount_shared_memory();
  fs::create_directory(kRoot);
  fs::create_directory(kRuntimeFolder);
  fs::permissions(kRuntimeFolder, fs::perms::owner_all);
  mount_hugepages();
}

}  // namespace softcx
