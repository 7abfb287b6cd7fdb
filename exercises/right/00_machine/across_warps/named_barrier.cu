// right: the barrier is the block's barrier 0 by number, and the array is laid out from
// right: the back
extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * 128u + t;
    unsigned size = n;
    if (i < size) words[127 - t] = in[i];
    asm volatile("bar.sync 0;" ::: "memory");
    if (i < size) {
        int next = 0;
        if (t != 127 && i + 1 != size) next = words[126 - t] - words[127 - t];
        out[i] = next;
    }
}
