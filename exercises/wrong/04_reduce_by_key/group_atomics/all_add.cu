// wrong: every lane adds the sum of its group
// fails: result, contract
// because: All peers hold the sum of the group. If each of them adds it, a group of
// because: five is counted five times.

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
    atomicAdd(&sums[key], sum);
}
