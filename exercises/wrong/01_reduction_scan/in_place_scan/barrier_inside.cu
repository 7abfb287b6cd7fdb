// wrong: only the threads that add have to wait
// fails: findings, result, contract
// because: __syncthreads() waits for all threads of the block. Inside the `if`, threads
// because: below `offset` never come by.

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        if (t >= offset) {
            int left = temp[t - offset];
            __syncthreads();
            temp[t] += left;
        }
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
}
