// The lanes of a warp exchange values through global memory.
// expect: none
// launch: 2 64
// args: zeros:512 zeros:512

extern "C" __global__ void global_buffer_with_syncwarp(int *buffer, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[i] = i;
    __syncwarp();
    out[i] = buffer[i ^ 1];
}
