// right: all lanes with an element stay in the loop until everybody is claimed, so the
// right: mask never changes
// warpbook: arch=compute_80

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned peers = 0;
    for (unsigned unclaimed = present; unclaimed != 0;) {
        int shown = __shfl_sync(present, key, __ffs(unclaimed) - 1);
        unsigned same = __ballot_sync(present, key == shown);
        if (key == shown) peers = same;
        unclaimed &= ~same;
    }
    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
