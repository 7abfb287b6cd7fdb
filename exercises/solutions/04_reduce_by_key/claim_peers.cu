// warpbook: arch=compute_80
// Who is still in the loop?
//
// Lanes with the same key add up among themselves, and the first of them does the
// atomic. To find each other, the first lane that nobody has claimed shows its key;
// whoever has the same leaves the loop.
//
// STARTER
//- // This is an old listing, with `_sync` and a full mask put into every exchange.
//- // Your task: make every mask name exactly those lanes that take part.
// SOLUTION
// Whoever is claimed leaves, so the lanes that are still in the loop are the unclaimed
// ones.
// END
//
// Grade it:     warpbook exercise check claim_peers
// Get a hint:   warpbook exercise hint claim_peers

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
        // STARTER
        //- is_peer = key == __shfl_sync(0xffffffff, key, __ffs(unclaimed) - 1);
        //- peers = __ballot_sync(0xffffffff, is_peer);
        // SOLUTION
        is_peer = key == __shfl_sync(unclaimed, key, __ffs(unclaimed) - 1);
        peers = __ballot_sync(unclaimed, is_peer);
        // END
        unclaimed &= ~peers;
    } while (!is_peer);

    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
