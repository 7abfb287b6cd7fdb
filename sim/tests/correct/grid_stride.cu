// Every thread has elements far apart, and no two threads the same.
// expect: none
// launch: 3 64
// args: iota:1000 zeros:4000 u32:1000

extern "C" __global__ void grid_stride(const int *in, int *out, unsigned n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        out[i] = in[i] + in[n - 1 - i];
}
