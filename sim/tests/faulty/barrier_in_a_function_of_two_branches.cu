// A function with a barrier is called in both branches: in the source these are two places.
// expect: barrier-divergence
// launch: 1 64
// args: zeros:256

__device__ __noinline__ int exchanged(volatile int *words, int t, int value)
{
    words[t] = value;
    __syncthreads(); //~ barrier-divergence
    return words[63 - t];
}

extern "C" __global__ void barrier_in_a_function_of_two_branches(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    if (t < 32)
        out[t] = exchanged(words, t, t);
    else
        out[t] = exchanged(words, t, t + 1) * 2;
}
