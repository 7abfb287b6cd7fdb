// wrong: __popc tells which lane is the first
// fails: result
// because: It tells how many are negative.

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    bool negative = i < n && in[i] < 0;
    unsigned votes = __ballot_sync(0xffffffff, negative);
    int first = __popc(votes) - 1;
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
