// wrong: lanes with the same key belong together, whether they are neighbours or not
// fails: contract
// because: The sums are the same, but this is another exercise: here each run is
// because: scanned, in five rounds.

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int key = i < n ? keys[i] : -1;
    unsigned peers = __match_any_sync(0xffffffff, key);
    int sum = __reduce_add_sync(peers, i < n ? values[i] : 0);
    if (i < n && lane == __ffs(peers) - 1) atomicAdd(&sums[key], sum);
}
