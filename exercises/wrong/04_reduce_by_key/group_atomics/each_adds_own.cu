// wrong: the hardware adds up equal addresses of a warp anyway
// fails: contract
// because: The result is right, but the L2 cache gets 32 numbers: it is sent the sector
// because: of the sums once for every number of the most frequent key.

// warpbook: arch=compute_80
extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned peers = __match_any_sync(present, key);
    if (peers) atomicAdd(&sums[key], values[i]);
}
