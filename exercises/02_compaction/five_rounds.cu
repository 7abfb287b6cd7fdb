// The case that no random test finds
//
// Each block keeps the positive ones of its 256 ints. It writes them side by side and
// in order to `out`, from the block's first element on, and their number to
// counts[blockIdx.x]. Lanes find their place in the warp with a ballot. Then one warp
// scans the eight totals of the warps, one bit of all totals per ballot.
//
// As it is, the kernel has passed many tests with random numbers. On some inputs it
// loses elements. Your task: find the inputs, and repair the scan of the totals.
// Ballots stay.
//
// Grade it:     warpbook exercise check five_rounds
// Get a hint:   warpbook exercise hint five_rounds

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
        // TODO: 32 lanes, so 5 bits. Is that so?
        for (int bit = 0; bit < 5; bit++) {
            unsigned ones = __ballot_sync(0xffffffff, total >> bit & 1);
            first += __popc(ones & before) << bit;
        }
        if (lane < 8) first_of_warp[lane] = first;
        if (lane == 7) counts[blockIdx.x] = first + total;
    }
    __syncthreads();
    if (x > 0) out[blockIdx.x * 256 + first_of_warp[warp] + __popc(votes & before)] = x;
}
