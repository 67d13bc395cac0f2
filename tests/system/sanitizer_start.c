// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 The Ringside authors
// Starts AddressSanitizer before the constructor of any other library (it is linked with
// -z initfirst). Else it starts with the first malloc, and in small programs that is one of
// libgpg-error's constructor under a lock of libc's, which AddressSanitizer's start takes as well.
#include <stdlib.h>

__attribute__((constructor)) static void start(void) {
  void* volatile memory = malloc(1);
  free(memory);
}
