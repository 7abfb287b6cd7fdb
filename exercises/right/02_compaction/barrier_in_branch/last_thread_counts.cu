// right: only warp 0 puts down its total, and the last thread knows the number of all
extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    __shared__ int of_first_warp;
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;

    int x = -1;
    if (i < n) x = in[i];
    bool keep = x > 0;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    if (threadIdx.x == 0) of_first_warp = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ~(0xffffffffu << lane));
    if (threadIdx.x >= 32) place += of_first_warp;
    if (keep) out[blockIdx.x * 64 + place] = x;
    if (threadIdx.x == 63) counts[blockIdx.x] = place + keep;
}
