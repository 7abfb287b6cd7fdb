// wrong: it does not matter whether the peers below or above are counted
// fails: result
// because: Each place is taken once, but equal digits come in reverse: the order that
// because: the pass before has made is lost.

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
        if (d < digit) place += __popc(votes);
        if (d == digit) place += __popc(votes >> lane >> 1);
    }
    out[i - lane + place] = key;
}
