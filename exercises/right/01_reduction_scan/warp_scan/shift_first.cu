// right: the elements are shifted by a lane before the rounds, which are written out
extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    const size_t i = (size_t)blockIdx.x * 64 + threadIdx.x;
    const int lane = threadIdx.x & 31;
    int sum = 0;
    if (i < (size_t)n) sum = in[i];
    sum = __shfl_up_sync(0xffffffff, sum, 1);
    if (lane == 0) sum = 0;
#pragma unroll
    for (int round = 0; round < 5; round++) {
        const int before = __shfl_up_sync(0xffffffff, sum, 1 << round);
        sum += lane < 1 << round ? 0 : before;
    }
    if (i < (size_t)n) out[i] = sum;
}
