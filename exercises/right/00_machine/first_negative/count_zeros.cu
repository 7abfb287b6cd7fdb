// right: the word is turned round, and its leading zeros are counted
extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = 0;
    if (i < n) x = in[i];
    unsigned votes = __ballot_sync(0xffffffff, x < 0);
    int first = votes ? __clz(__brev(votes)) : -1;
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
