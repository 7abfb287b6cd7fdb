// right: a tree of shuffles over the peers, which would do for floats as well

template <typename T>
__device__ T sum_of_peers(unsigned present, unsigned peers, T value)
{
    int lane = threadIdx.x % 32;
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    unsigned behind = peers & (0xfffffffe << lane);
    while (__any_sync(present, behind)) {
        int next = __ffs(behind);
        T other = __shfl_sync(present, value, next > 0 ? next - 1 : lane);
        if (next > 0) value += other;
        behind &= __ballot_sync(present, rank % 2 == 0);
        rank /= 2;
    }
    return value;
}

extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    int key = keys[i];
    unsigned peers = __match_any_sync(present, key);
    int sum = sum_of_peers(present, peers, values[i]);
    bool is_first = (peers & ((1u << threadIdx.x % 32) - 1)) == 0;
    if (is_first) atomicAdd(&sums[key], sum);
}
