// right: the rounds go from the largest offset to the smallest: every distance is still
// right: added up once
extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    const int t = threadIdx.x;
    const long long i = 256ll * blockIdx.x + t;
    int own = 0;
    if (i < n) own = in[i];
    temp[t] = own;

#pragma unroll
    for (int round = 7; round >= 0; round--) {
        const int offset = 1 << round;
        __syncthreads();
        const int left = t < offset ? 0 : temp[t - offset];
        __syncthreads();
        if (t >= offset) temp[t] = own = own + left;
    }

    if (i < n) out[i] = own;
}
