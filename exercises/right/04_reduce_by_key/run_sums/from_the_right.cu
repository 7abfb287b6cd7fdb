// right: the sums travel down, so that the first lane of a run adds for it, in a helper
// right: function

// The sum over this lane and those up to lane `last`. All lanes of the warp call it
// together.
__device__ int sum_up_to(int value, int lane, int last)
{
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_down_sync(0xffffffff, value, distance);
        if (lane + distance <= last) value += other;
    }
    return value;
}

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int key = i < n ? keys[i] : -1;
    int value = i < n ? values[i] : 0;

    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane == 0 || left != key;
    unsigned heads = __ballot_sync(0xffffffff, head);
    unsigned later = heads & (0xfffffffe << lane);
    int last = later != 0 ? __ffs(later) - 2 : 31;
    int sum = sum_up_to(value, lane, last);
    if (head && i < n) atomicAdd(&sums[key], sum);
}
