// right: zeros in front of both buffers stand for the condition, and the own sum stays
// right: in a register
template <int N>
__device__ int scan(int sum, int (&temp)[2][2 * N])
{
    int t = threadIdx.x;
    temp[0][t] = temp[1][t] = 0;
    temp[0][N + t] = sum;
    __syncthreads();
#pragma unroll
    for (int offset = 1, row = 0; offset < N; offset *= 2, row ^= 1) {
        sum += temp[row][N + t - offset];
        temp[row ^ 1][N + t] = sum;
        __syncthreads();
    }
    return sum;
}
extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2][512];
    int i = blockIdx.x * 256 + threadIdx.x;
    int sum = scan<256>(i < n ? in[i] : 0, temp);
    if (i < n) out[i] = sum;
}
