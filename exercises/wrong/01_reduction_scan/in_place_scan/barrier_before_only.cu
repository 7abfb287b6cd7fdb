// wrong: one barrier between reading and writing orders everything
// fails: findings
// because: It orders the halves of one round. The reads of the next round follow the
// because: writes of this one, by other warps, and need a barrier as well.

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int left = t >= offset ? temp[t - offset] : 0;
        __syncthreads();
        temp[t] += left;
    }

    if (i < n) out[i] = temp[t];
}
