// wrong: the other half only has to be zero at the beginning
// fails: result, contract
// because: The first round then writes temp[from + t - offset] without the own element,
// because: and later rounds add to numbers of two rounds ago.

extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2 * 256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int from = 256, to = 0;
    temp[t] = i < n ? in[i] : 0;
    temp[256 + t] = 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int half = from;
        from = to;
        to = half;
        if (t >= offset)
            temp[to + t] += temp[from + t - offset];
        else
            temp[to + t] = temp[from + t];
        __syncthreads();
    }

    if (i < n) out[i] = temp[to + t];
}
