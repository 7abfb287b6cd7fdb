// A list whose last element leads back to its first, followed by recursion.
// expect: out-of-bounds
// launch: 1 32
// args: zeros:128 zeros:128

__device__ __noinline__ int length(const int *next, int at)
{
    return at < 0 ? 0 : 1 + length(next, next[at]) * (at + 1); //~ out-of-bounds
}

extern "C" __global__ void endless_recursion(int *lengths, const int *next)
{
    lengths[threadIdx.x] = length(next, threadIdx.x);
}
