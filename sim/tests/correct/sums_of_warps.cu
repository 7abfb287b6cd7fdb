// The sums of the warps that there are, and zeros for the others.
// expect: none
// launch: 1 64
// args: zeros:4

extern "C" __global__ void sums_of_warps(int *out)
{
    __shared__ int sums[32];
    int sum = __reduce_add_sync(0xffffffff, threadIdx.x);
    if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = __reduce_add_sync(0xffffffff, threadIdx.x < blockDim.x / 32 ? sums[threadIdx.x] : 0);
        if (threadIdx.x == 0)
            *out = sum;
    }
}
