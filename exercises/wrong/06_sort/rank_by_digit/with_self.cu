// wrong: the rank counts the lane itself
// fails: findings, result, contract
// because: Places begin with 0: a lane counts those before it.

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
        if (d == digit) place += __popc(votes & (0xffffffff >> (31 - lane)));
    }
    out[i - lane + place] = key;
}
