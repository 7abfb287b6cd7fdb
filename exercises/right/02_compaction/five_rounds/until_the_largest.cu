// right: the rounds go on while a bit can be set in 32, the largest total, and only
// right: eight lanes take part
extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[8];
    __shared__ int first_of_warp[8];
    int t = threadIdx.x;
    size_t i = (size_t)blockIdx.x * 256 + t;
    int lane = t % 32;
    int warp = t / 32;
    int x = 0;
    if (i < (size_t)n) x = in[i];
    unsigned before = (1u << lane) - 1;
    unsigned votes = __ballot_sync(0xffffffff, x > 0);

    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    if (t < 8) {
        int total = totals[t];
        int first = 0;
        for (int value = 1; value <= 32; value *= 2) {
            unsigned ones = __ballot_sync(0xff, total & value);
            first += value * __popc(ones & before);
        }
        first_of_warp[t] = first;
        if (t == 7) counts[blockIdx.x] = first + total;
    }
    __syncthreads();
    if (x <= 0) return;
    out[(size_t)blockIdx.x * 256 + first_of_warp[warp] + __popc(votes & before)] = x;
}
