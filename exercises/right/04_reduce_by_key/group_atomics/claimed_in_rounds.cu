// right: finds the peers in rounds, as claim_peers does, and skips groups whose sum is
// right: zero
// warpbook: arch=compute_80

extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    int value = values[i];
    unsigned rest = present, peers = 0;
    do {
        bool same = key == __shfl_sync(present, key, __ffs(rest) - 1);
        unsigned votes = __ballot_sync(present, same);
        if (same) peers = votes;
        rest &= ~votes;
    } while (rest);
    int sum = __reduce_add_sync(peers, value);
    if (lane == __ffs(peers) - 1 && sum != 0) atomicAdd(&sums[key], sum);
}
