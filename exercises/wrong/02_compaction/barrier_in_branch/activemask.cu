// wrong: __activemask() names the lanes that are there
// fails: findings, result, contract
// because: It does name them, and the vote is in order. But the total is still written
// because: by lane 31, which is not there, and the barrier still lacks threads.

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[2];
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    if (i >= n) return;
    int x = in[i];
    unsigned votes = __ballot_sync(__activemask(), x > 0);
    if (lane == 31) totals[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1)) + warp * totals[0];
    if (x > 0) out[blockIdx.x * 64 + place] = x;
    if (threadIdx.x == 0) counts[blockIdx.x] = totals[0] + totals[1];
}
