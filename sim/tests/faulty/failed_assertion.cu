// The kernel's own assertion does not hold.
// expect: assert
// launch: 1 32
// args: u32:16

extern "C" __global__ void failed_assertion(unsigned n)
{
    if (threadIdx.x >= n)
        __assertfail("threadIdx.x < n", "failed_assertion.cu", 9, "failed_assertion", 1); //~ assert
}
