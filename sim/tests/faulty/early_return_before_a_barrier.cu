// Threads without an element return before the barrier of the others. It is for the others that they are not waited for.
// expect: remark
// launch: 2 64
// args: iota:100 zeros:400 u32:100

extern "C" __global__ void early_return_before_a_barrier(const int *in, int *out, unsigned n)
{
    __shared__ int words[64];
    unsigned i = blockIdx.x * 64 + threadIdx.x;
    if (i >= n)
        return;
    words[threadIdx.x] = in[i];
    __syncthreads(); //~ remark
    out[i] = words[threadIdx.x ^ 1];
}
