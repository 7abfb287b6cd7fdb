// right: each warp adds up eight bins: a bin's 32 copies are read in one wavefront and
// right: added by shuffles
extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);
    for (int i = t; i < 64 * 32; i += 256) copies[i] = 0;
    __syncthreads();
    for (int i = first + t; i < end; i += 256)
        atomicAdd(copies + 32 * in[i] + lane, 1u);
    __syncthreads();

    unsigned own = 0;
    for (int k = 0; k < 8; k++) {
        unsigned sum = copies[32 * (8 * warp + k) + lane];
        for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
        if (lane == k) own = sum;
    }
    if (lane < 8) atomicAdd(&hist[8 * warp + lane], own);
}
