// wrong: the rank among equal digits is the place
// fails: findings, result
// because: Keys with a smaller digit come first: without their number, the first key of
// because: each digit goes to place 0.

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
        unsigned votes = __ballot_sync(0xffffffff, digit == d);
        if (d == digit) place += __popc(votes & ((1u << lane) - 1));
    }
    out[i - lane + place] = key;
}
