// wrong: a second vote counts the ints that are not kept, and the total is the rest
// fails: contract
// because: The first vote tells the total, too: those that are kept are its ones, the
// because: others its zeros.

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;
    __shared__ int totals[8];
    int lane = t % 32;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    unsigned others = __ballot_sync(0xffffffff, !keep);
    if (lane == 0) totals[t / 32] = 32 - __popc(others);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1));
    for (int warp = 0; warp < t / 32; warp++) place += totals[warp];
    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 255) counts[blockIdx.x] = place + keep;
}
