// A barrier in a branch that all threads take, or none.
// expect: none
// launch: 2 64
// args: zeros:512 u32:1

extern "C" __global__ void barrier_in_a_uniform_branch(int *out, unsigned mode)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t;
    if (mode == 1)
        __syncthreads();
    out[blockIdx.x * 64 + t] = mode == 1 ? words[63 - t] : t;
}
