// right: the repaired loop in a helper function, and a tree of shuffles over the peers
// right: in place of redux

// The lanes of `present` with this lane's key.
__device__ unsigned find_peers(unsigned present, int key)
{
    unsigned unclaimed = present;
    while (true) {
        int leader = __ffs(unclaimed) - 1;
        bool is_peer = __shfl_sync(unclaimed, key, leader) == key;
        unsigned peers = __ballot_sync(unclaimed, is_peer);
        if (is_peer) return peers;
        unclaimed ^= peers;
    }
}

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i], sum = values[i];
    unsigned peers = find_peers(present, key);
    __syncwarp(present);

    // In each round, every second one of the peers that are left is added to the one
    // before it.
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    bool leader = rank == 0;
    unsigned behind = peers & (0xfffffffe << lane);
    while (__any_sync(present, behind != 0)) {
        int next = behind != 0 ? __ffs(behind) - 1 : lane;
        int other = __shfl_sync(present, sum, next);
        if (behind != 0) sum += other;
        behind &= ~__ballot_sync(present, rank & 1);
        rank >>= 1;
    }
    if (leader) atomicAdd(&sums[key], sum);
}
