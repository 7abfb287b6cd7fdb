// right: the running sum stays in a register: a round loads only the left neighbour's
extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2 * 256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int from = 256, to = 0;
    int sum = i < n ? in[i] : 0;
    temp[t] = sum;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int half = from;
        from = to;
        to = half;
        if (t >= offset) sum += temp[from + t - offset];
        temp[to + t] = sum;
        __syncthreads();
    }

    if (i < n) out[i] = temp[to + t];
}
