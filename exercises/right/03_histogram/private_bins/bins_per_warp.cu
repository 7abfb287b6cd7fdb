// right: each warp has bins of its own, and the merge adds up those of the eight warps

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned bins[8][64];
    int t = threadIdx.x, warp = t / 32, lane = t % 32;
    bins[warp][lane] = 0;
    bins[warp][lane + 32] = 0;
    __syncthreads();

    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);
    for (int i = first + t; i < end; i += 256) atomicAdd(&bins[warp][in[i]], 1u);
    __syncthreads();

    if (t < 64) {
        unsigned sum = 0;
#pragma unroll
        for (int w = 0; w < 8; w++) sum += bins[w][t];
        if (sum) atomicAdd(&hist[t], sum);
    }
}
