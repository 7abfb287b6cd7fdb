// right: in each round the whole warp adds up the values of the key that is shown, by a
// right: tree of shuffles

__device__ int sum_of_warp(int value)
{
    for (int distance = warpSize / 2; distance > 0; distance /= 2) {
        value += __shfl_xor_sync(0xffffffff, value, distance);
    }
    return value;
}

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize;
    int key = 0, value = 0, sum = 0;
    if (i < n) {
        key = keys[i];
        value = values[i];
    }
    bool leader = false;
    // All 32 lanes stay until the last key is claimed, so that all 32 belong into every
    // mask.
    unsigned unclaimed = __ballot_sync(0xffffffff, i < n);
    while (unclaimed != 0) {
        int first = __ffs(unclaimed) - 1;
        int shown = __shfl_sync(0xffffffff, key, first);
        bool is_peer = i < n && key == shown;
        int of_group = sum_of_warp(is_peer ? value : 0);
        if (lane == first) {
            sum = of_group;
            leader = true;
        }
        unclaimed &= ~__ballot_sync(0xffffffff, is_peer);
    }
    if (leader) atomicAdd(&sums[key], sum);
}
