// wrong: only lanes that keep something have to vote
// fails: findings, result
// because: The mask names all 32 lanes, and those that keep nothing never come by. Vote
// because: first, then branch.

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = 0;
    if (keep) votes = __ballot_sync(0xffffffff, true);
    int place = __popc(votes & ((1u << lane) - 1));
    int kept = __popc(votes);

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = kept;
}
