// right: a scan over the whole warp, of which the last lane of a run subtracts what is
// right: before the run

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    bool present = i < n;
    int key = present ? keys[i] : -1;
    int sum = present ? values[i] : 0;

    int left = __shfl_up_sync(0xffffffff, key, 1);
    unsigned heads = __ballot_sync(0xffffffff, lane == 0 || left != key);
    int begin = 31 - __clz(heads & (0xffffffff >> (31 - lane)));
    for (int distance = 1; distance < 32; distance <<= 1) {
        int other = __shfl_up_sync(0xffffffff, sum, distance);
        sum += lane >= distance ? other : 0;
    }
    int before = __shfl_sync(0xffffffff, sum, max(begin - 1, 0));
    bool last = lane == 31 || (heads >> (lane + 1) & 1);
    if (!last || !present) return;
    atomicAdd(sums + key, begin > 0 ? sum - before : sum);
}
