// right: only the eight lanes that have a total vote on its bits, in a template
template <int BITS>
__device__ __forceinline__ int exclusive_scan(unsigned mask, int value, unsigned below)
{
    int sum = 0;
#pragma unroll
    for (int bit = 0; bit < BITS; bit++)
        sum += __popc(__ballot_sync(mask, value >> bit & 1) & below) << bit;
    return sum;
}
extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int first_of_warp[8];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, base = blockIdx.x * 256;
    const int x = base + t < n ? __ldg(in + base + t) : 0;
    const unsigned below = (1u << lane) - 1, votes = __ballot_sync(~0u, x > 0);
    if (lane == 0) first_of_warp[warp] = __popc(votes);
    __syncthreads();
    if (t < 8) {
        const int total = first_of_warp[t];
        const int first = exclusive_scan<6>(0xffu, total, below);
        first_of_warp[t] = first;
        if (t == 7) counts[blockIdx.x] = first + total;
    }
    __syncthreads();
    if (x > 0) out[base + first_of_warp[warp] + __popc(votes & below)] = x;
}
