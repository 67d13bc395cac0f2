# shellcheck shell=bash
# SPDX-License-Identifier: BSD-3-Clause
# Copyright (c) 2026 The Ringside authors
#
# What quickstart and test do first. Every step does nothing when there is nothing to do.
# Sourced by a script that has set `root` to the top of the repository.

: "${root:?}"

readonly hugepages_wanted=256 # of 2 MiB

stop() { # MESSAGE: wrong usage or a machine that lacks something
  echo "${0##*/}: $1" >&2
  exit 2
}

need_root() {
  ((EUID == 0)) || stop "softcx makes network and mount namespaces, which needs root: run 'sudo $0'"
}

install_packages() {
  local wanted missing
  mapfile -t wanted < <(grep -v '^#' "$root/tools/lib/packages")
  mapfile -t missing < <(
    dpkg-query -W -f='${db:Status-Abbrev}${Package}\n' "${wanted[@]}" 2>/dev/null |
      sed -n 's/^ii //p' | sort | comm -13 - <(printf '%s\n' "${wanted[@]}" | sort))
  ((${#missing[@]})) || return 0
  ((EUID == 0)) || stop "packages are missing, install them with: apt-get install ${missing[*]}"
  echo "Installing ${missing[*]}"
  { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -q -y \
    --no-install-recommends "${missing[@]}"; } >/dev/null ||
    stop "apt-get could not install: ${missing[*]}"
}

fetch_captures() { # for the tests of malformed packets, which are skipped without
  [[ -n ${RINGSIDE_TCPDUMP_TESTS-} ]] || "$root/tools/fetch-captures" --daily >/dev/null || true
}

reserve_hugepages() {
  local pages=/sys/kernel/mm/hugepages/hugepages-2048kB
  [[ -d $pages ]] || stop 'the kernel has no hugepages of 2 MiB'
  local free total
  free=$(<$pages/free_hugepages)
  total=$(<$pages/nr_hugepages)
  ((free < hugepages_wanted)) || return 0
  echo $((total + hugepages_wanted - free)) >$pages/nr_hugepages
  echo "Reserved $(($(<$pages/nr_hugepages) - total)) more hugepages of 2 MiB"
  free=$(<$pages/free_hugepages)
  ((free >= hugepages_wanted)) ||
    stop "only $free of $hugepages_wanted hugepages of 2 MiB are free: free memory, or reboot with hugepages=$hugepages_wanted"
}

configure() { # BUILD-FOLDER [MESON-OPTION...]: once
  [[ ! -f $1/build.ninja ]] || return 0
  local log
  log=$(mktemp)
  if ! meson setup "${@:2}" "$1" "$root" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    stop "meson could not configure $1"
  fi
  rm -f "$log"
}

compile() { # BUILD-FOLDER [TARGET...]: prints only what goes wrong
  local log
  log=$(mktemp)
  echo "Building in $1"
  if ! ninja -C "$1" "${@:2}" >"$log" 2>&1; then
    grep -v '^\[' "$log" >&2
    rm -f "$log"
    echo "${0##*/}: the build failed" >&2
    exit 1
  fi
  rm -f "$log"
}
