// right: the other remedy: a second array to write, one barrier per round
extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[2][256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int side = 0;
    temp[side][t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int sum = temp[side][t];
        if (t >= offset) sum += temp[side][t - offset];
        side ^= 1;
        temp[side][t] = sum;
        __syncthreads();
    }

    if (i < n) out[i] = temp[side][t];
}
