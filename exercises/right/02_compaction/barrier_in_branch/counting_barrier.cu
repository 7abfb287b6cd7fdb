// right: the barrier itself counts the votes of the block, so that no total needs
// right: shared memory
extern "C" __global__ void compact_pair(int *out, int *counts, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 64 + t;
    bool keep = false;
    int x = 0;
    if (i < n) {
        x = in[i];
        keep = x > 0;
    }
    unsigned votes = __ballot_sync(0xffffffff, keep);
    int all = __syncthreads_count(keep);
    int before = __popc(votes & ((1u << t % 32) - 1));
    if (t >= 32) before += all - __popc(votes);
    if (keep) out[blockIdx.x * 64 + before] = x;
    if (t == 0) counts[blockIdx.x] = all;
}
