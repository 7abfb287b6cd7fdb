// wrong: only the ballot needs the right mask, a shuffle reads just one lane
// fails: findings, result
// because: All lanes that a mask names have to come by, not only the one whose key is
// because: read.

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
        is_peer = key == __shfl_sync(0xffffffff, key, __ffs(unclaimed) - 1);
        peers = __ballot_sync(unclaimed, is_peer);
        unclaimed &= ~peers;
    } while (!is_peer);

    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
