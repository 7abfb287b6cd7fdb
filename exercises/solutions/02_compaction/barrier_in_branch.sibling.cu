// A sibling: how many elements of each 128 are larger than their left neighbour?
//
// A thread beyond n has nothing to compare, and the first element has no neighbour.
// They still reach the vote, where `larger` is false, and the barrier: only the two
// loads depend on a condition.
extern "C" __global__ void ascents(int *out, const int *in, int n)
{
    __shared__ int totals[4];
    int i = blockIdx.x * 128 + threadIdx.x;
    bool larger = i > 0 && i < n && in[i] > in[i - 1];
    unsigned votes = __ballot_sync(0xffffffff, larger);
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = __popc(votes);
    __syncthreads();
    if (threadIdx.x == 0)
        out[blockIdx.x] = totals[0] + totals[1] + totals[2] + totals[3];
}
