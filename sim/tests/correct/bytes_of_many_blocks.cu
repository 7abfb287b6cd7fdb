// Blocks write bytes side by side, of the same word where they meet.
// expect: none
// launch: 4 33
// args: zeros:132

extern "C" __global__ void bytes_of_many_blocks(char *out)
{
    out[blockIdx.x * 33 + threadIdx.x] = threadIdx.x;
}
