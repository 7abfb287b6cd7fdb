// Blocks count in shared memory with atomics and add up in global memory.
// expect: none
// launch: 3 64
// args: iota:192 zeros:64

extern "C" __global__ void histogram_of_two_levels(const int *in, int *out)
{
    __shared__ int bins[16];
    if (threadIdx.x < 16)
        bins[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&bins[in[blockIdx.x * 64 + threadIdx.x] % 16], 1);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}
