// right: a match finds the keys with the same digit, three ballots those with smaller
// right: ones

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    if (i >= 32 * warps) return;
    unsigned key = in[i];
    unsigned digit = (key >> shift) % 4;
    unsigned below = (1u << lane) - 1;
    unsigned place = __popc(__match_any_sync(0xffffffff, digit) & below);
#pragma unroll
    for (unsigned d = 0; d < 3; d++) {
        unsigned votes = __ballot_sync(0xffffffff, digit == d);
        if (d < digit) place += __popc(votes);
    }
    out[i - lane + place] = key;
}
