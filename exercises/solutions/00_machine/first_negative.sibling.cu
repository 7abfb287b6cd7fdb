// A sibling: the last lane of a warp that has an odd number, or -1.
//
// All 32 lanes vote, and each gets the same word, with a one for every odd number. The
// last lane is the highest one of the word. __clz counts the zeros above it: 0 if it is
// bit 31, 31 if it is bit 0, and 32 if there is no one at all. So 31 - __clz(votes) is
// the lane, or -1.
extern "C" __global__ void last_odd(int *out, const int *in)
{
    unsigned votes = __ballot_sync(0xffffffff, in[threadIdx.x] % 2 != 0);
    int last = 31 - __clz(votes);
    if (threadIdx.x == 0) out[0] = last;
}
