// wrong: shuffles within the warps make the rounds over the block unnecessary
// fails: contract
// because: That is a good scan, and another exercise. Here the eight rounds stay,
// because: because their barriers are what it is about.

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int totals[8];
    int t = threadIdx.x, lane = t % 32;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;
    for (int d = 1; d < 32; d *= 2) {
        int left = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += left;
    }
    if (lane == 31) totals[t / 32] = sum;
    __syncthreads();
    for (int warp = 0; warp < t / 32; warp++) sum += totals[warp];
    if (i < n) out[i] = sum;
}
