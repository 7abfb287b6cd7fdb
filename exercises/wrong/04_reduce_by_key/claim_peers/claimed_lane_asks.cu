// wrong: the lane that shows its key is the first one of the warp
// fails: findings, result, contract
// because: Lane 0 has left after the first round. The first lane that is unclaimed must
// because: show its key.

// warpbook: arch=compute_80
extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned unclaimed = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned peers;
    bool is_peer;
    do {
        is_peer = key == __shfl_sync(unclaimed, key, 0);
        peers = __ballot_sync(unclaimed, is_peer);
        unclaimed &= ~peers;
    } while (!is_peer);

    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
