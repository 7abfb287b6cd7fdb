// wrong: one lane per group needs no atomic
// fails: findings, contract
// because: One lane per group and warp: other warps have the same keys, and add to the
// because: same sums. The result may be right in many runs.

// warpbook: arch=compute_80
extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned peers = __match_any_sync(present, key);
    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == __ffs(peers) - 1) sums[key] += sum;
}
