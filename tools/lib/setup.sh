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

sees_nvidia_gpu() { # SYSROOT: by its driver, or on the PCI bus
  local device
  ! compgen -G "$1/dev/nvidia[0-9]*" >/dev/null || return 0
  for device in "$1"/sys/bus/pci/devices/*; do
    [[ $(<"$device/vendor") != 0x10de || $(<"$device/class") != 0x03* ]] || return 0
  done 2>/dev/null
  return 1
}

readonly gpu_code_left_out=gpu-code-left-out # a file in a build folder

# BUILD-FOLDER [MESON-OPTION...]: once. Where GPU code was left out for quickness, it is added.
configure() {
  # Stacks need lines, not types, which would be a fifth of the compiler's time.
  local log command=(meson setup -Dcpp_args=-g1 "${@:2}" "$1" "$root")
  if [[ -f $1/build.ninja ]]; then
    [[ -f $1/$gpu_code_left_out ]] || return 0
    command=(meson configure -Dcuda=auto "$1")
  fi
  log=$(mktemp)
  if ! "${command[@]}" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    stop "meson could not configure $1"
  fi
  rm -f "$log" "$1/$gpu_code_left_out"
}

configure_for_this_machine() { # BUILD-FOLDER: with GPU code only where there is an NVIDIA GPU
  if sees_nvidia_gpu / || ! command -v nvcc >/dev/null; then
    configure "$1"
    return
  fi
  [[ ! -f $1/build.ninja ]] || return 0
  configure "$1" -Dcuda=disabled
  touch "$1/$gpu_code_left_out"
  echo "No NVIDIA GPU is to be seen: $1 is without GPU code." \
    "To add it: tools/test, or meson configure $1 -Dcuda=auto && ninja -C $1"
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
