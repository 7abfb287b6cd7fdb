// Threads go round a loop with a barrier in it for different numbers of times.
// expect: barrier-divergence
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barrier_in_a_ragged_loop(int *out)
{
    int warp = threadIdx.x / 32;
    for (int i = 0; i <= warp; i++)
        __syncthreads(); //~ barrier-divergence
    asm volatile("bar.sync 1;"); //~ barrier-divergence
    out[threadIdx.x] = warp;
}
