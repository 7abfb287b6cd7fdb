// One block of two warps: 64 threads put 64 numbers on every second word, and take them
// out in reverse.
extern "C" __global__ void reverse(int *out, const int *in)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    words[2 * t] = in[t];
    out[t] = words[126 - 2 * t];
}
