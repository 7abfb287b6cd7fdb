// right: one ballot for each bit of the digit, and the masks follow from these two

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const int lane = i & 31;
    if (i >> 5 < warps) {
        const unsigned key = in[i];
        const bool high = key >> (shift + 1) & 1, low = key >> shift & 1;
        const unsigned highs = __ballot_sync(~0u, high), lows = __ballot_sync(~0u, low);
        const unsigned same_high = high ? highs : ~highs;
        const unsigned peers = same_high & (low ? lows : ~lows);
        unsigned smaller = 0;
        if (high) smaller |= ~highs;
        if (low) smaller |= same_high & ~lows;
        const int place = __popc(smaller) + __popc(peers & ((1u << lane) - 1));
        out[i - lane + place] = key;
    }
}
