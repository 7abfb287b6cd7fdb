// wrong: a vote of its own tells which lanes have an element
// fails: contract
// because: A lane without an element votes no, and that is all that the others need to
// because: know. The second vote costs as much as the first.

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[2];
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    int x = i < n ? in[i] : 0;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    unsigned votes = __ballot_sync(0xffffffff, x > 0) & present;
    if (lane == 31) totals[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1)) + warp * totals[0];
    if (x > 0) out[blockIdx.x * 64 + place] = x;
    if (threadIdx.x == 0) counts[blockIdx.x] = totals[0] + totals[1];
}
