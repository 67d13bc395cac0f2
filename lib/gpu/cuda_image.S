/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The Ringside authors */
/* The GPU's machine code as data of the program. */
  .section .rodata

  .macro image name, file
  .balign 64
  .global \name
  .hidden \name
  .global \name\()_end
  .hidden \name\()_end
\name:
  .incbin "\file"
\name\()_end:
  .endm

  image ringside_cuda_image, FATBIN
  image ringside_any_chain_image, ANY_CHAIN
  .section .note.GNU-stack, "", @progbits
