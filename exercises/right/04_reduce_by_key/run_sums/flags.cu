// right: a flag, whether a run has begun in what the lane covers, travels with the sum

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % 32;
    int key = i < n ? keys[i] : -1;
    int sum = i < n ? values[i] : 0;

    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane == 0 || left != key;
    unsigned heads = __ballot_sync(0xffffffff, head);
    int begun = head;
    for (int distance = 1; distance < 32; distance *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, distance);
        int other_begun = __shfl_up_sync(0xffffffff, begun, distance);
        if (!begun) {
            sum += other;
            begun = other_begun;
        }
    }
    bool last = lane == 31 || (heads >> (lane + 1) & 1);
    if (last && i < n) atomicAdd(&sums[key], sum);
}
