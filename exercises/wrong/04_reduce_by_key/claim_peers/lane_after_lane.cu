// wrong: the lanes of a group add up one after the other
// fails: contract
// because: A group can be the whole warp, and then that takes 32 shuffles. A tree takes
// because: five, and __reduce_add_sync one instruction.

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned unclaimed = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i], value = values[i];
    unsigned peers;
    bool is_peer;
    do {
        is_peer = key == __shfl_sync(unclaimed, key, __ffs(unclaimed) - 1);
        peers = __ballot_sync(unclaimed, is_peer);
        unclaimed &= ~peers;
    } while (!is_peer);
    int sum = 0;
    for (unsigned rest = peers; rest != 0; rest &= rest - 1)
        sum += __shfl_sync(peers, value, __ffs(rest) - 1);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
