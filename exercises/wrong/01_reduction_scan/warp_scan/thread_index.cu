// wrong: threadIdx.x tells whether there is a lane d before
// fails: result
// because: In the second warp threadIdx.x begins at 32. A shuffle stays in its warp:
// because: what counts is the lane.

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;

    int lane = threadIdx.x;
    int sum = x;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += before;
    }
    sum -= x;

    if (i < n) out[i] = sum;
}
