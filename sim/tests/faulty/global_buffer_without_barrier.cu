// The threads of a block exchange values through global memory without a barrier.
// expect: race
// launch: 2 64
// args: zeros:512 zeros:512

extern "C" __global__ void global_buffer_without_barrier(int *buffer, int *out)
{
    int first = blockIdx.x * blockDim.x;
    buffer[first + threadIdx.x] = threadIdx.x; //~ party
    out[first + threadIdx.x] = buffer[first + (threadIdx.x ^ 32)]; //~ race
}
