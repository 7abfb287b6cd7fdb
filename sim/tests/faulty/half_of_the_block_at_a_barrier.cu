// One warp waits at the block's barrier, the other runs to the end: the hardware does not wait for it.
// expect: remark
// launch: 1 64
// args: zeros:256

extern "C" __global__ void half_of_the_block_at_a_barrier(int *out)
{
    int t = threadIdx.x;
    out[t] = t;
    if (t < 32)
        __syncthreads(); //~ remark
}
