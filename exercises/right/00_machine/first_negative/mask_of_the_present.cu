// right: a vote says first which lanes have an element, and only they take part in the
// right: vote about them
extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i >= n) return;
    unsigned negative = __ballot_sync(present, in[i] < 0);
    if (threadIdx.x % 32 == 0) out[i / 32] = __ffs(negative) - 1;
}
