// wrong: lane 0 does the atomic
// fails: result, contract
// because: Lane 0 has one key and knows the sum of one group. Each group needs a lane
// because: of its own.

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
    int sum = __reduce_add_sync(peers, values[i]);
    if (lane == 0) atomicAdd(&sums[key], sum);
}
