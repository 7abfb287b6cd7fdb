; Products and sums become one where both allow it; twice a number is a sum.
define ptx_kernel void @fused(ptr noundef %out, float %x, float %y) {
  %p = fmul contract float %x, %y
  %s = fadd contract float %p, %x
  %q = fmul float %x, %y
  %u = fadd contract float %q, %s
  %d = fmul contract float %u, 2.000000e+00
  store float %d, ptr %out, align 4
  ret void
}
