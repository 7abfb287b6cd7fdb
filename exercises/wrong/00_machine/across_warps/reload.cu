// wrong: reading the neighbour from global memory needs no barrier
// fails: contract
// because: It does not, and every element is loaded twice: that is what shared memory
// because: is there to avoid.

extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
    if (i < n) words[t] = in[i];
    __syncthreads();
    int next = 0;
    if (t < 127 && i + 1 < n) next = in[i + 1] - in[i];
    if (i < n) out[i] = next;
}
