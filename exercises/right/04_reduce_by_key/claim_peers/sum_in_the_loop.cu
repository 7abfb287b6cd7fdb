// right: lanes that are claimed add up in the loop, at once, and the loop is left by a
// right: flag
// warpbook: arch=compute_80

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned unclaimed = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i], value = values[i];
    bool claimed = false;
    while (!claimed) {
        int first = __ffs(unclaimed) - 1;
        claimed = key == __shfl_sync(unclaimed, key, first);
        unsigned peers = __ballot_sync(unclaimed, claimed);
        if (claimed) {
            int sum = __reduce_add_sync(peers, value);
            if (lane == first) atomicAdd(&sums[key], sum);
        }
        unclaimed &= ~peers;
    }
}
