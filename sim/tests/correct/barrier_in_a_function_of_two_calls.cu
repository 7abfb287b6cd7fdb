// A function with a barrier is called at two places, by all threads at each.
// expect: none
// launch: 1 64
// args: zeros:256

__device__ __noinline__ int exchanged(int *words, int t, int value)
{
    words[t] = value;
    __syncthreads();
    int other = words[63 - t];
    __syncthreads();
    return other;
}

extern "C" __global__ void barrier_in_a_function_of_two_calls(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    int first = exchanged(words, t, t);
    out[t] = first + exchanged(words, t, 2 * t);
}
