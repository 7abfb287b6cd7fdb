// The same key, but another run
//
// Neighbours with the same key are a run. A scan by shuffles leaves the sum of every
// run in its last lane, which adds it to the table of sums.
//
// With sorted keys the result is right. With keys such as 2 0 2 it is not. Your
// task: correct the condition of the scan.
//
// Grade it:     warpbook exercise check run_sums
// Get a hint:   warpbook exercise hint run_sums

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
        int other_key = __shfl_up_sync(0xffffffff, key, distance);
        if (begin <= lane && lane >= distance && other_key == key) sum += other;
    }
    bool last = lane == 31 || (heads >> (lane + 1) & 1);
    if (last && i < n) atomicAdd(&sums[key], sum);
}
