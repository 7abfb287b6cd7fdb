// right: each block takes consecutive elements, and its threads step through them by
// right: the size of the block
extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int first = blockIdx.x * blockDim.x * per;
    int end = min(first + (int)blockDim.x * per, n);
#pragma unroll 8
    for (int i = first + threadIdx.x; i < end; i += blockDim.x) out[i] = in[i] + in[i];
}
