// wrong: every vote counts one
// fails: findings, result, contract
// because: A vote in the round of bit 3 is about eights: it counts 8.

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int first_of_warp[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int lane = t % 32;
    int warp = t / 32;
    int x = i < n ? in[i] : 0;
    unsigned before = (1u << lane) - 1;
    unsigned votes = __ballot_sync(0xffffffff, x > 0);

    if (lane == 0) first_of_warp[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        int total = lane < 8 ? first_of_warp[lane] : 0;
        int first = 0;
        for (int bit = 0; bit < 6; bit++) {
            unsigned ones = __ballot_sync(0xffffffff, total >> bit & 1);
            first += __popc(ones & before);
        }
        if (lane < 8) first_of_warp[lane] = first;
        if (lane == 7) counts[blockIdx.x] = first + total;
    }
    __syncthreads();
    if (x > 0) out[blockIdx.x * 256 + first_of_warp[warp] + __popc(votes & before)] = x;
}
