// right: the lane before is named by its number, and a lane without one asks itself
__device__ int lane_before(int lane, int d) { return lane >= d ? lane - d : lane; }

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = 0;
    if (i < (unsigned)n) x = in[i];
    int sum = x;
    for (int d = 1; d <= 16; d <<= 1) {
        int before = __shfl_sync(0xffffffff, sum, lane_before(lane, d));
        if (lane < d) before = 0;
        sum += before;
    }
    if (i >= (unsigned)n) return;
    out[i] = sum - x;
}
