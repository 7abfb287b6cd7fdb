// right: each lane knows how many lanes ago its run began, and the last lane of a run
// right: is the one whose right neighbour has another key

extern "C" __global__ void add_runs(int *sums, const int *keys, const int *values,
                                    int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x & 31;
    int key = -1, sum = 0;
    if (i < n) {
        key = keys[i];
        sum = values[i];
    }
    int left = __shfl_up_sync(0xffffffff, key, 1);
    unsigned heads = __ballot_sync(0xffffffff, lane == 0 || left != key);
    int since = __clz(heads << (31 - lane));
#pragma unroll
    for (int distance = 1; distance < 32; distance <<= 1) {
        int other = __shfl_up_sync(0xffffffff, sum, distance);
        if (distance <= since) sum += other;
    }
    int right = __shfl_down_sync(0xffffffff, key, 1);
    if (i < n && (lane == 31 || right != key)) atomicAdd(&sums[key], sum);
}
