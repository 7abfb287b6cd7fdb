// right: one group after another, the whole warp adds up the group's values by a tree
// right: of shuffles

extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize;
    bool present = i < n;
    int key = present ? keys[i] : -1;
    int value = present ? values[i] : 0;

    unsigned peers = __match_any_sync(0xffffffff, key);
    bool leader = present && lane == __ffs(peers) - 1;
    int sum = 0;
    for (unsigned leaders = __ballot_sync(0xffffffff, leader); leaders != 0;
         leaders &= leaders - 1) {
        int first = __ffs(leaders) - 1;
        unsigned group = __shfl_sync(0xffffffff, peers, first);
        int part = group >> lane & 1 ? value : 0;
        for (int distance = 16; distance > 0; distance /= 2)
            part += __shfl_down_sync(0xffffffff, part, distance);
        part = __shfl_sync(0xffffffff, part, 0);
        if (lane == first) sum = part;
    }
    if (leader) atomicAdd(&sums[key], sum);
}
