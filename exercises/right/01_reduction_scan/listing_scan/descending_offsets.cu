// right: offsets from 128 down to 1, unrolled, with 64-bit indices and an early return
// right: at the end
extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2 * 256];
    const long long t = threadIdx.x;
    const long long i = blockIdx.x * 256ll + t;
    long long from = 256, to = 0;
    int own = 0;
    if (i < n) own = in[i];
    temp[t] = own;
    __syncthreads();

#pragma unroll
    for (int offset = 128; offset >= 1; offset /= 2) {
        const long long half = from;
        from = to;
        to = half;
        int sum = temp[from + t];
        if (t - offset >= 0) sum += temp[from + t - offset];
        temp[to + t] = sum;
        __syncthreads();
    }

    if (i >= n) return;
    out[i] = temp[to + t];
}
