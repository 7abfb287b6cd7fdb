// My rank among equal digits
//
// Each warp sorts its 32 keys by a digit of two bits: keys with a smaller digit come
// first, and keys with the same digit keep their order.
//
// STARTER
//- // Your task: let each lane find out at which of the 32 places its key belongs.
// SOLUTION
// A lane's place: all keys with a smaller digit, and those with its own digit in lanes
// before it.
// END
//
// Grade it:     warpbook exercise check rank_by_digit
// Get a hint:   warpbook exercise hint rank_by_digit

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = i % 32;
    if (i / 32 >= warps) return;
    unsigned key = in[i];
    unsigned digit = key >> shift & 3;
    // STARTER
    //- // TODO: the place of this lane's key, from 0 to 31.
    //- unsigned place = lane + 0 * digit;
    // SOLUTION
    unsigned place = 0;
    for (unsigned d = 0; d < 4; d++) {
        unsigned votes = __ballot_sync(0xffffffff, digit == d);
        if (d < digit) place += __popc(votes);
        if (d == digit) place += __popc(votes & ((1u << lane) - 1));
    }
    // END
    out[i - lane + place] = key;
}
