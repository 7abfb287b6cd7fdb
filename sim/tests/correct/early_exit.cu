// Threads beyond the end leave before the barrier: it completes without them.
// expect: remark
// launch: 2 64
// args: iota:100 zeros:400 u32:100

extern "C" __global__ void early_exit(const int *in, int *out, unsigned n)
{
    __shared__ int words[64];
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    words[threadIdx.x] = in[i];
    __syncthreads(); //~ remark
    unsigned count = min(64u, n - blockIdx.x * 64);
    out[i] = words[count - 1 - threadIdx.x];
}
