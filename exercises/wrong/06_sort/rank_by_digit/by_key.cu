// wrong: sorting by the whole key sorts by the digit, too
// fails: result, contract
// because: Keys are to be sorted by this digit alone: with equal digits, the order
// because: stays as it was.

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = i % 32;
    if (i / 32 >= warps) return;
    unsigned key = in[i];
    unsigned digit = key >> shift & 3;
    unsigned place = 0;
    for (int other = 0; other < 32; other++) {
        unsigned there = __shfl_sync(0xffffffff, key, other);
        if (there < key || (there == key && other < lane)) place++;
    }
    place += digit - digit;
    out[i - lane + place] = key;
}
