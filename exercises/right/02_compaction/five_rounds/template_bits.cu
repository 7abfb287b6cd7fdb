// right: the number of bits follows from the largest total when the kernel is compiled
__host__ __device__ constexpr int bits_of(int largest)
{
    return largest == 0 ? 0 : 1 + bits_of(largest / 2);
}

template <int Largest>
__device__ int sum_of_lanes_before(int number)
{
    unsigned below = (1u << threadIdx.x % 32) - 1;
    int sum = 0;
#pragma unroll
    for (int bit = 0; bit < bits_of(Largest); bit++) {
        sum += __popc(__ballot_sync(0xffffffff, number >> bit & 1) & below) << bit;
    }
    return sum;
}

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int first_of_warp[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int lane = t % 32;
    int warp = t / 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;
    unsigned votes = __ballot_sync(0xffffffff, keep);

    if (lane == 31) first_of_warp[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        int total = lane < 8 ? first_of_warp[lane] : 0;
        int first = sum_of_lanes_before<32>(total);
        if (lane < 8) first_of_warp[lane] = first;
        if (lane == 7) counts[blockIdx.x] = first + total;
    }
    __syncthreads();
    if (keep) {
        int place = first_of_warp[warp] + __popc(votes & ((1u << lane) - 1));
        out[blockIdx.x * 256 + place] = x;
    }
}
