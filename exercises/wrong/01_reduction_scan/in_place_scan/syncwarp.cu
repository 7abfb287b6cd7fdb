// wrong: __syncwarp() orders the reads and writes
// fails: findings, result
// because: It orders the lanes of one warp. Here thread 32 reads what thread 31 writes,
// because: and that is another warp.

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int left = t >= offset ? temp[t - offset] : 0;
        __syncwarp();
        temp[t] += left;
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
}
