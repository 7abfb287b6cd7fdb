// The number of threads of a barrier must be a multiple of 32.
// expect: barrier-divergence
// launch: 1 64
// args: zeros:256

extern "C" __global__ void named_barrier_of_uneven_count(int *out)
{
    asm volatile("bar.sync 1, %0;" ::"r"(48)); //~ barrier-divergence
    out[threadIdx.x] = 1;
}
