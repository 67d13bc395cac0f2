/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The Ringside authors */
/* The GPU's machine code as data of the program. */
  .section .rodata
  .balign 64
  .global ringside_cuda_image
  .hidden ringside_cuda_image
ringside_cuda_image:
  .incbin FATBIN
  .section .note.GNU-stack, "", @progbits
