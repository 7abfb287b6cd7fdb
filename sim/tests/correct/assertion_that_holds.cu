// The kernel's own assertion holds.
// expect: none
// launch: 1 32
// args: zeros:128 u32:32

extern "C" __global__ void assertion_that_holds(int *out, unsigned n)
{
    if (threadIdx.x >= n)
        __assertfail("threadIdx.x < n", "assertion_that_holds.cu", 9, "assertion_that_holds", 1);
    if (n > 32)
        __trap();
    out[threadIdx.x] = n;
}
