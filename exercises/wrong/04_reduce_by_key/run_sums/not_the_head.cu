// wrong: only the head of a run must not add
// fails: result
// because: The second lane of a run must not add in the round with distance 2, either:
// because: it would reach before the beginning.

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int key = i < n ? keys[i] : -1;
    int sum = i < n ? values[i] : 0;

    int left = __shfl_up_sync(0xffffffff, key, 1);
    unsigned heads = __ballot_sync(0xffffffff, lane == 0 || left != key);
    int begin = 31 - __clz(heads & (0xffffffff >>
                                    (31 - lane)));  // where this lane's run begins
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane != begin && lane >= distance) sum += other;
    }
    bool last = lane == 31 || (heads >> (lane + 1) & 1);
    if (last && i < n) atomicAdd(&sums[key], sum);
}
