// right: the word is turned round, so that the lanes below are at the top, and a guard
// right: keeps warps without elements out
extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    unsigned t = blockIdx.x * 64u + threadIdx.x;
    unsigned warp = t / 32;
    unsigned lane = t % 32;
    if (32 * warp >= (unsigned)n) return;  // the whole warp

    int x = t < (unsigned)n ? in[t] : -1;
    unsigned votes = __brev(__ballot_sync(0xffffffff, x > 0));
    unsigned long long below = ((unsigned long long)votes << 32) >> (32 + 32 - lane);
    if (x > 0) out[32 * warp + __popcll(below)] = x;
    if (lane == 0) counts[warp] = __popc(votes);
}
