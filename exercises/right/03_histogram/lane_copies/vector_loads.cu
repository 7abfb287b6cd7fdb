// right: clears by uint4 and loads four elements as a uchar4 where the block is full
#include <stdint.h>

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ __align__(16) uint32_t copies[64 * 32];
    const int t = threadIdx.x;
    const int lane = t % 32;
    for (int i = t; i < 64 * 32 / 4; i += 256)
        reinterpret_cast<uint4 *>(copies)[i] = make_uint4(0, 0, 0, 0);
    __syncthreads();

    const int begin = blockIdx.x * 1024 + 4 * t;
    if (begin + 4 <= n) {
        const uchar4 four = *reinterpret_cast<const uchar4 *>(in + begin);
        atomicAdd(&copies[32 * four.x + lane], 1u);
        atomicAdd(&copies[32 * four.y + lane], 1u);
        atomicAdd(&copies[32 * four.z + lane], 1u);
        atomicAdd(&copies[32 * four.w + lane], 1u);
    } else {
        for (int i = begin; i < n; i++) atomicAdd(&copies[32 * in[i] + lane], 1u);
    }
    __syncthreads();

    if (t >= 64) return;
    uint32_t sum = 0;
#pragma unroll
    for (int k = 0; k < 32; k++) sum += copies[32 * t + ((k + lane) & 31)];
    atomicAdd(&hist[t], sum);
}
