// right: the inclusive scan is shifted by a lane, as floats would need it, with one
// right: shuffle more
extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += before;
    }
    sum = __shfl_up_sync(0xffffffff, sum, 1);
    if (lane == 0) sum = 0;
    if (i < n) out[i] = sum;
}
