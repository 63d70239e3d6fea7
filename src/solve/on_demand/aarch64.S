// In x17: the number of the function. Arguments are kept as the caller left them.
z3_on_demand:
  stp x29, x30, [sp, #-160]!
  mov x29, sp
  stp x0, x1, [sp, #16]
  stp x2, x3, [sp, #32]
  stp x4, x5, [sp, #48]
  stp x6, x7, [sp, #64]
  str x8, [sp, #80]
  stp d0, d1, [sp, #96]
  stp d2, d3, [sp, #112]
  stp d4, d5, [sp, #128]
  stp d6, d7, [sp, #144]
  mov x0, x17
  bl z3_find
  mov x16, x0
  ldp x0, x1, [sp, #16]
  ldp x2, x3, [sp, #32]
  ldp x4, x5, [sp, #48]
  ldp x6, x7, [sp, #64]
  ldr x8, [sp, #80]
  ldp d0, d1, [sp, #96]
  ldp d2, d3, [sp, #112]
  ldp d4, d5, [sp, #128]
  ldp d6, d7, [sp, #144]
  ldp x29, x30, [sp], #160
  br x16

.macro z3_function name, number
  .globl \name
  .type \name, %function
\name:
  adrp x16, z3_functions + 8 * \number
  add x16, x16, :lo12:(z3_functions + 8 * \number)
  ldr x16, [x16]
  br x16
z3_first_\number:
  mov x17, #\number
  b z3_on_demand
.endm
