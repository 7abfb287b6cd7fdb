// right: two votes tell both bits of all digits, and the lanes with an equal and with a
// right: smaller digit are combinations of these words

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = i & 31;
    if (i >> 5 >= warps) return;
    unsigned key = in[i];
    bool upper = key >> shift & 2, lower = key >> shift & 1;
    unsigned uppers = __ballot_sync(0xffffffff, upper);
    unsigned lowers = __ballot_sync(0xffffffff, lower);
    unsigned same_upper = upper ? uppers : ~uppers;
    unsigned equal = same_upper & (lower ? lowers : ~lowers);
    unsigned smaller = (upper ? ~uppers : 0) | (lower ? same_upper & ~lowers : 0);
    int place = __popc(smaller) + __popc(equal & ~(0xffffffff << lane));
    out[(i & ~31) + place] = key;
}
