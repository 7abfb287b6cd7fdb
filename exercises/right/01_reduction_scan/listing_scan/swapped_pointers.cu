// right: two arrays and two pointers that are exchanged, and the sum of a select
extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int first[256];
    __shared__ int second[256];
    int *read = first;
    int *write = second;
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * 256u + t;
    read[t] = i < (unsigned)n ? in[i] : 0;
    __syncthreads();

    for (unsigned offset = 1; offset < 256; offset <<= 1) {
        int left = t >= offset ? read[t - offset] : 0;
        write[t] = read[t] + left;
        __syncthreads();
        int *other = read;
        read = write;
        write = other;
    }

    if (i < (unsigned)n) out[i] = read[t];
}
