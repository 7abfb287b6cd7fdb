// wrong: elements without a left neighbour need no writing, they do not change
// fails: findings, result
// because: They do not change, but the halves do: the next round reads the other half,
// because: where nobody has put them.

extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2 * 256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int from = 256, to = 0;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int half = from;
        from = to;
        to = half;
        if (t >= offset) temp[to + t] = temp[from + t] + temp[from + t - offset];

        __syncthreads();
    }

    if (i < n) out[i] = temp[to + t];
}
