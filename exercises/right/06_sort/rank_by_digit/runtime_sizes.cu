// right: warpSize in place of numbers, ballots for the smaller digits only, and the own
// right: digit's votes kept

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize;
    int warp = i / warpSize;
    if (warp >= warps) return;
    unsigned key = in[i];
    int digit = (key >> shift) & 3u;

    unsigned own = 0;
    int smaller = 0;
    const int digits = 4;
    for (int d = 0; d < digits; ++d) {
        unsigned votes = __ballot_sync(0xffffffff, d == digit);
        if (d == digit) {
            own = votes;
        } else if (d < digit) {
            smaller = smaller + __popc(votes);
        }
    }
    int rank = 0;
    rank = __popc(own & ((1u << lane) - 1u));
    out[(size_t)warp * warpSize + smaller + rank] = key;
}
