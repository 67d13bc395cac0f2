/* SPDX-License-Identifier: BSD-3-Clause */
/* Copyright (c) 2026 The Ringside authors */
/* The copy kernel's machine code as data of the library. */
  .section .rodata
  .balign 64
  .global softcx_copy_image
  .hidden softcx_copy_image
softcx_copy_image:
  .incbin FATBIN
  .section .note.GNU-stack, "", @progbits
