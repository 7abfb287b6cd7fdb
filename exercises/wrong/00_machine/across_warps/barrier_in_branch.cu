// wrong: only threads that read have to wait
// fails: findings, result
// because: __syncthreads() is for all threads of the block. The last thread never
// because: reads, and never comes by.

extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
    if (i < n) words[t] = in[i];
    int next = 0;
    if (t < 127 && i + 1 < n) {
        __syncthreads();
        next = words[t + 1] - words[t];
    }
    if (i < n) out[i] = next;
}
