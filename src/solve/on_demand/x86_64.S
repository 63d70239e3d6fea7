// On the stack: the number of the function, then where it was called from. Arguments are kept as the caller left them.
z3_on_demand:
  push %rdi
  push %rsi
  push %rdx
  push %rcx
  push %r8
  push %r9
  sub $64, %rsp
  movsd %xmm0, 0(%rsp)
  movsd %xmm1, 8(%rsp)
  movsd %xmm2, 16(%rsp)
  movsd %xmm3, 24(%rsp)
  movsd %xmm4, 32(%rsp)
  movsd %xmm5, 40(%rsp)
  movsd %xmm6, 48(%rsp)
  movsd %xmm7, 56(%rsp)
  mov 112(%rsp), %rdi
  call z3_find
  mov %rax, %r11
  movsd 0(%rsp), %xmm0
  movsd 8(%rsp), %xmm1
  movsd 16(%rsp), %xmm2
  movsd 24(%rsp), %xmm3
  movsd 32(%rsp), %xmm4
  movsd 40(%rsp), %xmm5
  movsd 48(%rsp), %xmm6
  movsd 56(%rsp), %xmm7
  add $64, %rsp
  pop %r9
  pop %r8
  pop %rcx
  pop %rdx
  pop %rsi
  pop %rdi
  add $8, %rsp
  jmp *%r11

.macro z3_function name, number
  .globl \name
  .type \name, @function
\name:
  jmp *(z3_functions + 8 * \number)(%rip)
z3_first_\number:
  push $\number
  jmp z3_on_demand
.endm
