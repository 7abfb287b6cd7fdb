// wrong: the reduction runs over all lanes that are there
// fails: result
// because: That adds up all keys. The mask of the reduction says whose values belong
// because: together: the peers.

// warpbook: arch=compute_80
extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned peers = __match_any_sync(present, key);
    int sum = __reduce_add_sync(present, values[i]);
    if (lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
