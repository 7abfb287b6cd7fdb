// right: the rounds are not unrolled, and indices have 64 bits

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int first_of_warp[8];
    size_t t = threadIdx.x, i = (size_t)blockIdx.x * 256 + t;
    int lane = t & 31, warp = t >> 5;
    int x = i < (size_t)n ? __ldg(in + i) : 0;
    unsigned below = (1u << lane) - 1, votes = __ballot_sync(0xffffffff, x > 0);
    if (lane == 0) first_of_warp[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        int total = lane < 8 ? first_of_warp[lane] : 0, first = 0;
#pragma unroll 1
        for (int bit = 0; bit <= 5; bit++) {
            unsigned ones = __ballot_sync(0xffffffff, (total >> bit) & 1);
            first += __popc(ones & below) << bit;
        }
        if (lane < 8) first_of_warp[lane] = first;
        if (lane == 7) counts[blockIdx.x] = first + total;
    }
    __syncthreads();
    if (x > 0) out[blockIdx.x * 256 + first_of_warp[warp] + __popc(votes & below)] = x;
}
