// wrong: zero is negative
// fails: result
// because: Zero is neither positive nor negative.

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    bool negative = i < n && in[i] <= 0;
    unsigned votes = __ballot_sync(0xffffffff, negative);
    int first = __ffs(votes) - 1;
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
