// A look-back scan whose status word holds flag and sum at once.
// expect: none
// launch: 8 32
// args: zeros:64 zeros:32

extern "C" __global__ void look_back_with_packed_words(unsigned long long *status, int *out)
{
    if (threadIdx.x != 0)
        return;
    int b = blockIdx.x;
    unsigned long long sum = 0;
    if (b > 0) {
        unsigned long long word;
        do
            word = *(volatile unsigned long long *)&status[b - 1];
        while (word >> 63 == 0);
        sum = word & 0xffffffff;
    }
    *(volatile unsigned long long *)&status[b] = 1ull << 63 | (sum + b);
    out[b] = sum;
}
