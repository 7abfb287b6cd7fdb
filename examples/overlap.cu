// A kernel with a mistake: neighbours exchange values through shared memory without a
// barrier.

extern "C" __global__ void shift_left(const int *in, int *out)
{
    extern __shared__ int tile[];
    tile[threadIdx.x] = in[threadIdx.x];
    out[threadIdx.x] = threadIdx.x + 1 < blockDim.x ? tile[threadIdx.x + 1] : 0;
}
