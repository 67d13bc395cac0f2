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

find_nvcc() { # SYSROOT: on the PATH, where sudo leaves CUDA's own folder out, or there
  ! command -v nvcc >/dev/null || return 0
  [[ -x ${1%/}/usr/local/cuda/bin/nvcc ]] || return 1
  PATH+=:${1%/}/usr/local/cuda/bin
}

readonly gpu_code_left_out=gpu-code-left-out # a file in a build folder

run_meson() { # BUILD-FOLDER ARGUMENT...: prints only what goes wrong
  local log
  log=$(mktemp)
  if ! meson "${@:2}" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    stop "meson could not configure $1"
  fi
  rm -f "$log"
}

# BUILD-FOLDER [MESON-OPTION...]: once. Where GPU code was left out, for quickness or without nvcc, it
# is added once nvcc is there.
configure() {
  local nvcc_is_missing='' options=("${@:2}")
  if [[ ${options[*]} != *-Dcuda=* ]] && ! find_nvcc /; then
    nvcc_is_missing=yes
    options+=(-Dcuda=disabled)
  fi
  if [[ ! -f $1/build.ninja ]]; then
    # Stacks need lines, not types, which would be a fifth of the compiler's time.
    run_meson "$1" setup -Dcpp_args=-g1 "${options[@]}" "$1" "$root"
    [[ -z $nvcc_is_missing ]] || touch "$1/$gpu_code_left_out"
  elif [[ -f $1/$gpu_code_left_out && -z $nvcc_is_missing ]]; then
    run_meson "$1" configure -Dcuda=auto "$1"
    rm "$1/$gpu_code_left_out"
  fi
  if [[ -n $nvcc_is_missing && -f $1/$gpu_code_left_out ]] && sees_nvidia_gpu /; then
    echo "There is an NVIDIA GPU, but no nvcc on the PATH or in /usr/local/cuda/bin:" \
      "$1 is without GPU code, until $0 finds nvcc"
  fi
}

configure_for_this_machine() { # BUILD-FOLDER: with GPU code only where there is an NVIDIA GPU
  if sees_nvidia_gpu / || ! find_nvcc /; then
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
