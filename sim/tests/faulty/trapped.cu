// The kernel gives up.
// expect: trap
// launch: 1 32
// args: u32:16

extern "C" __global__ void trapped(unsigned n)
{
    if (threadIdx.x >= n)
        __trap(); //~ trap
}
