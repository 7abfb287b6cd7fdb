// right: a thread keeps its own number in a register and loads only its neighbour's
extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    const int t = threadIdx.x;
    const int i = blockIdx.x * blockDim.x + t;
    int own = 0;
    if (i < n) {
        own = in[i];
        words[t] = own;
    }
    __syncthreads();
    const bool has_next = t + 1 < 128 && i + 1 < n;
    const int next = has_next ? words[t + 1] - own : 0;
    if (i < n) out[i] = next;
}
