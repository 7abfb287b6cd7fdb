// A barrier that asks for more threads than ever come.
// expect: barrier-divergence
// launch: 1 64
// args: zeros:256

extern "C" __global__ void named_barrier_for_too_many(int *out)
{
    asm volatile("bar.sync 1, 96;"); //~ barrier-divergence
    out[threadIdx.x] = 1;
}
