// wrong: the last lane of the warp has counted all kept elements
// fails: result, contract
// because: Lane 31 counts the votes below its own. If its own element is kept, that is
// because: one too few.

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = __ballot_sync(0xffffffff, keep);
    int place = __popc(votes & ((1u << lane) - 1));
    int kept = __shfl_sync(0xffffffff, place, 31);

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = kept;
}
