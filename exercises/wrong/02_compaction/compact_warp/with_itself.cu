// wrong: the place is the number of votes up to the own one
// fails: findings, result, contract
// because: That counts the own vote: the first kept element goes to place 1, and
// because: place 0 stays empty.

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = __ballot_sync(0xffffffff, keep);
    int place = __popc(votes & ((2u << lane) - 1));
    int kept = __popc(votes);

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = kept;
}
