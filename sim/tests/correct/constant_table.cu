// Constant memory, read at one place and at many.
// expect: none
// launch: 2 32
// args: zeros:256

__constant__ int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
extern "C" __global__ void constant_table(int *out)
{
    out[blockIdx.x * 32 + threadIdx.x] = table[3] + table[threadIdx.x & 7];
}
