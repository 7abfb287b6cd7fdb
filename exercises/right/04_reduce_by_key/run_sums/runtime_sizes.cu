// right: warpSize in place of numbers, and a mask tells in which rounds a lane adds

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x % warpSize;
    int key = -1;
    int sum = 0;
    if (i < n) {
        key = keys[i];
        sum = values[i];
    }

    int left = __shfl_up_sync(0xffffffff, key, 1);
    int right = __shfl_down_sync(0xffffffff, key, 1);
    unsigned heads = __ballot_sync(0xffffffff, lane == 0 || left != key);
    unsigned so_far = heads << (warpSize - 1 - lane);
    int begin = lane - __clz(so_far);
    for (int distance = 1; distance < warpSize; distance *= 2) {
        int other = __shfl_up_sync(0xffffffff, sum, distance);
        if (lane - distance >= begin) {
            sum += other;
        }
    }
    bool last = lane == warpSize - 1 || right != key;
    if (i < n && last) {
        atomicAdd(&sums[key], sum);
    }
}
