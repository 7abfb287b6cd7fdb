// wrong: it does not matter from which end one counts
// fails: result
// because: The elements come out in reverse order: a lane with many votes above it is
// because: not one with many before it.

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = __ballot_sync(0xffffffff, keep);
    int place = __popc(votes >> lane >> 1);
    int kept = __popc(votes);

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = kept;
}
