// The loop has one round more for the second warp: its barrier there meets the first warp's barrier behind the loop.
// expect: barrier-divergence remark
// launch: 1 64
// args: zeros:256

extern "C" __global__ void warps_of_different_rounds(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x, sum = 0;
    for (int round = 0; round <= t / 32; round++) {
        words[t] = round;
        __syncthreads(); //~ barrier-divergence
        sum += words[t];
    }
    __syncthreads(); //~ party remark
    out[t] = sum;
}
