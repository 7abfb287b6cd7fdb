// wrong: taking the number into a register first is enough
// fails: findings, result
// because: The order within a thread was right before. What is missing is an order
// because: between warps: without a barrier between the reads and the writes, a slow
// because: warp still reads what a fast one has written.

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int left = t >= offset ? temp[t - offset] : 0;
        temp[t] += left;
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
}
