// The threads of a block exchange values through global memory.
// expect: none
// launch: 2 64
// args: zeros:512 zeros:512

extern "C" __global__ void global_buffer_with_barrier(int *buffer, int *out)
{
    int first = blockIdx.x * blockDim.x;
    buffer[first + threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[first + threadIdx.x] = buffer[first + (threadIdx.x ^ 32)];
}
