// wrong: __ffs gives the number of the lane
// fails: result
// because: It gives 1 for lane 0, and 0 if there is none: subtract one, and -1 comes
// because: out by itself.

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    bool negative = i < n && in[i] < 0;
    unsigned votes = __ballot_sync(0xffffffff, negative);
    int first = __ffs(votes);
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
