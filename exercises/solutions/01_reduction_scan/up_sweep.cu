// The up-sweep over 16 numbers by one block of 16 threads.
extern "C" __global__ void up_sweep(int *out, const int *in)
{
    __shared__ int temp[16];
    int t = threadIdx.x;
    temp[t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (int stride = 1; stride < 16; stride *= 2) {
        int right = 2 * stride * (t + 1) - 1;
        if (right < 16) temp[right] += temp[right - stride];
        __syncthreads();
    }
    out[t] = temp[t];
}
