// right: the merge goes through the copies by exclusive or, in helper functions with
// right: template parameters

template <int Bins, int Copies, int Threads>
__device__ void clear(unsigned (&table)[Bins * Copies])
{
#pragma unroll
    for (int i = 0; i < Bins * Copies / Threads; i++)
        table[i * Threads + threadIdx.x] = 0;
}

template <int Bins, int Copies>
__device__ unsigned row_sum(const unsigned (&table)[Bins * Copies], unsigned row)
{
    unsigned sum = 0;
#pragma unroll 8
    for (unsigned k = 0; k < Copies; k++)
        sum += table[Copies * row + (k ^ row % Copies)];
    return sum;
}

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    clear<64, 32, 256>(copies);
    __syncthreads();

    unsigned *own = copies + threadIdx.x % 32;
    for (int round = 0; round < 4; round++) {
        size_t i = size_t(blockIdx.x) * 1024 + round * 256 + threadIdx.x;
        if (i < size_t(n)) atomicAdd(own + 32 * in[i], 1u);
    }
    __syncthreads();

    if (threadIdx.x >= 64) return;
    atomicAdd(&hist[threadIdx.x], row_sum<64, 32>(copies, threadIdx.x));
}
