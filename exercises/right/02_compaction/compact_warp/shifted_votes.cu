// right: the votes from above are shifted out of the word, and the own one is taken off
extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int first = i - lane;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    int upto = __popc(votes << (31 - lane));
    if (keep) out[first + upto - 1] = x;
    if (lane == 31 && first < n) counts[first / 32] = upto;
}
