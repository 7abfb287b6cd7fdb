// A device function is called through a table of pointers.
// expect: none
// launch: 1 32
// args: zeros:128

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__device__ int (*const table[2])(int) = {twice, square};
extern "C" __global__ void function_of_a_table(int *out)
{
    out[threadIdx.x] = table[threadIdx.x & 1](threadIdx.x);
}
