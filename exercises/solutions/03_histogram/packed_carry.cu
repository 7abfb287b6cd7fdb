// How far a byte counts
//
// One warp counts n values from 0 to 15. Each lane has 16 bins of 8 bits, four in a
// word; the word of values 4
// * w to 4 * w + 3 of lane k is words[32 * w + k]. From time to time the words are
// emptied into the result, before a bin overflows.
//
// STARTER
//- // As it is, some counts are wrong for some data. Your task: repair the loop, so
//- // that it is right for any data, and the words are emptied as seldom as possible.
//- // The layout stays.
// SOLUTION
// Repaired: 8 bits count to 255, so the words are emptied after 255 rounds.
// END
//
// Grade it:     warpbook exercise check packed_carry
// Get a hint:   warpbook exercise hint packed_carry

// Adds a lane's bins to the result, and clears them.
__device__ void empty(unsigned *hist, unsigned *words)
{
    for (int w = 0; w < 4; w++) {
        unsigned word = words[32 * w + threadIdx.x];
        words[32 * w + threadIdx.x] = 0;
        for (int k = 0; k < 4; k++) atomicAdd(&hist[4 * w + k], word >> 8 * k & 255);
    }
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    int lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[32 * w + lane] = 0;

    int rounds = 0;
    for (int first = 0; first < n; first += 32) {
        // STARTER
        //- // TODO: for which data is this wrong?
        //- unsigned value = first + lane < n ? in[first + lane] : 0;
        //- if (first + lane < n)
        //-     words[32 * (value / 4) + lane] += 1u << 8 * (value % 4);
        //- rounds++;
        //- if (rounds == 256) {
        //-     empty(hist, words);
        //-     rounds = 0;
        //- }
        // SOLUTION
        unsigned value = first + lane < n ? in[first + lane] : 0;
        if (first + lane < n) words[32 * (value / 4) + lane] += 1u << 8 * (value % 4);
        rounds++;
        if (rounds == 255) {
            empty(hist, words);
            rounds = 0;
        }
        // END
    }
    empty(hist, words);
}
