// wrong: how many are smaller and how many are equal takes two votes for each digit
// fails: contract
// because: Those that are smaller are known from the votes for smaller digits: four
// because: votes are enough.

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = i % 32;
    if (i / 32 >= warps) return;
    unsigned key = in[i];
    unsigned digit = key >> shift & 3;
    unsigned place = 0;
    for (unsigned d = 0; d < 4; d++) {
        unsigned smaller = __ballot_sync(0xffffffff, digit < d);
        unsigned equal = __ballot_sync(0xffffffff, digit == d);
        if (d == digit) place = __popc(smaller) + __popc(equal & ((1u << lane) - 1));
    }
    out[i - lane + place] = key;
}
