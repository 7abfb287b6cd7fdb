// wrong: lanes without a neighbour get a zero
// fails: result
// because: They get their own number back, and add it to itself: lane 0 doubles its
// because: number in every round.

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;

    int lane = threadIdx.x % 32;
    int sum = x;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, sum, d);
        sum += before;
    }
    sum -= x;

    if (i < n) out[i] = sum;
}
