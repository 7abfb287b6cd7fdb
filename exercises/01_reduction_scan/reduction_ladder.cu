// The sum of 256 ints by one block of 256 threads, in three orders.
extern "C" __global__ void modulo(int *out, const int *in)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    temp[t] = in[t];
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) temp[t] += temp[t + s];  // modulo
        __syncthreads();
    }
    if (t == 0) out[0] = temp[0];
}

extern "C" __global__ void strided(int *out, const int *in)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    temp[t] = in[t];
    __syncthreads();
#pragma unroll 1
    for (int s = 1; s < 256; s *= 2) {
        int at = 2 * s * t;
        if (at < 256) temp[at] += temp[at + s];
        __syncthreads();
    }
    if (t == 0) out[0] = temp[0];
}

extern "C" __global__ void sequential(int *out, const int *in)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    temp[t] = in[t];
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
        if (t < s) temp[t] += temp[t + s];  // sequential
        __syncthreads();
    }
    if (t == 0) out[0] = temp[0];
}
