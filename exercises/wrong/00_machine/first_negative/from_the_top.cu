// wrong: __clz finds the first lane
// fails: result
// because: It counts from bit 31 down, and finds the last lane.

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    bool negative = i < n && in[i] < 0;
    unsigned votes = __ballot_sync(0xffffffff, negative);
    int first = 31 - __clz(votes);
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
