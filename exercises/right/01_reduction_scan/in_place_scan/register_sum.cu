// right: the running sum stays in a register: a round loads one word and stores one
extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;
    temp[t] = sum;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        if (t >= offset) sum += temp[t - offset];
        __syncthreads();
        temp[t] = sum;
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
}
