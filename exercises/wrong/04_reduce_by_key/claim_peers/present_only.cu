// wrong: the lanes that were there at the beginning are there all the time
// fails: findings, result
// because: A lane that has found its peers leaves the loop, but the mask of the next
// because: round still names it.

// warpbook: arch=compute_80
extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    unsigned unclaimed = present;
    int key = keys[i];
    unsigned peers;
    bool is_peer;
    do {
        is_peer = key == __shfl_sync(present, key, __ffs(unclaimed) - 1);
        peers = __ballot_sync(present, is_peer);
        unclaimed &= ~peers;
    } while (!is_peer);

    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
