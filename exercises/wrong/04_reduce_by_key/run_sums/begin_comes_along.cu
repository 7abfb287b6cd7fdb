// wrong: where a lane's run begins comes along in every round, and is compared
// fails: contract
// because: The result is right. But a lane knows where its own run begins, and so how
// because: far back it goes: the second shuffle of each round tells nothing new.

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int key = i < n ? keys[i] : -1;
    int sum = i < n ? values[i] : 0;

    int left = __shfl_up_sync(0xffffffff, key, 1);
    unsigned heads = __ballot_sync(0xffffffff, lane == 0 || left != key);
    int begin = 31 - __clz(heads & (0xffffffff >> (31 - lane)));
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, distance);
        int other_begin = __shfl_up_sync(0xffffffff, begin, distance);
        if (lane >= distance && other_begin == begin) sum += other;
    }
    bool last = lane == 31 || (heads >> (lane + 1) & 1);
    if (last && i < n) atomicAdd(&sums[key], sum);
}
