// wrong: a barrier somewhere before the read is enough
// fails: findings, result
// because: It must stand between the store and the read. Before the store it waits for
// because: nothing.

extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
    __syncthreads();
    if (i < n) words[t] = in[i];
    int next = 0;
    if (t < 127 && i + 1 < n) next = words[t + 1] - words[t];
    if (i < n) out[i] = next;
}
