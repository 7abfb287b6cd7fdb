// right: 128 zeros stand in front of the numbers, so that no thread has to ask for its
// right: left neighbour
extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int padded[128 + 256];
    int *temp = padded + 128;
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    if (t < 128) padded[t] = 0;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int left = temp[t - offset];
        __syncthreads();
        temp[t] += left;
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
}
