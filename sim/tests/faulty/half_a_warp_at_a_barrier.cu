// Half of the lanes wait at the block's barrier, the other half for all lanes of the warp.
// expect: barrier-divergence deadlock
// launch: 1 32
// args: zeros:128

extern "C" __global__ void half_a_warp_at_a_barrier(int *out)
{
    if (threadIdx.x < 16)
        asm volatile("bar.warp.sync 0xffffffff;"); //~ deadlock
    else
        __syncthreads(); //~ barrier-divergence
    out[threadIdx.x] = 1;
}
