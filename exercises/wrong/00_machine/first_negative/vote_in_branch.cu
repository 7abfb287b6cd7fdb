// wrong: lanes without an element need not vote
// fails: findings, result
// because: The mask names all 32. Let them vote no.

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned votes = 0;
    if (i < n) votes = __ballot_sync(0xffffffff, in[i] < 0);
    int first = __ffs(votes) - 1;
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
