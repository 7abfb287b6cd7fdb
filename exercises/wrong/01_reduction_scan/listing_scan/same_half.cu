// wrong: with `from` on both sides the numbers are right
// fails: findings, result, contract
// because: Then there is one buffer again: warps read and write the same words in one
// because: round, and the second half is never filled.

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
        if (t >= offset)
            temp[from + t] += temp[from + t - offset];
        else
            temp[to + t] = temp[from + t];
        __syncthreads();
    }

    if (i < n) out[i] = temp[to + t];
}
