// right: two rows of one array, chosen by a number, and a sum in each branch

extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int buf[2][256];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, cur = 0;
    buf[cur][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int d = 1; d < (int)blockDim.x; d <<= 1) {
        if (t >= d)
            buf[1 - cur][t] = buf[cur][t] + buf[cur][t - d];
        else
            buf[1 - cur][t] = buf[cur][t];
        cur = 1 - cur;
        __syncthreads();
    }
    if (i < n) out[i] = buf[cur][t];
}
