// wrong: threads beyond n may load, if they do not vote for it
// fails: findings, result, contract
// because: The load reads behind the end of the array, whatever is done with the
// because: number.

extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[2];
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;

    int x = in[i];
    if (i >= n) x = 0;
    unsigned votes = __ballot_sync(0xffffffff, x > 0);
    if (lane == 31) totals[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1)) + warp * totals[0];
    if (x > 0) out[blockIdx.x * 64 + place] = x;
    if (threadIdx.x == 0) counts[blockIdx.x] = totals[0] + totals[1];
}
