// wrong: only lanes with the digit have to vote
// fails: findings, result
// because: A ballot with a full mask waits for all 32 lanes. They all have to execute
// because: it, and say no if it is not their digit.

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
        if (d < digit) place += __popc(__ballot_sync(0xffffffff, digit == d));
        if (d == digit)
            place += __popc(__ballot_sync(0xffffffff, true) & ((1u << lane) - 1));
    }
    out[i - lane + place] = key;
}
