// Clearing and counting at the same time
//
// One block of 64 threads counts n values from 0 to 63. Thread t counts in column t:
// counts[64 * value + t]. Every 256 values, the columns are merged: thread t adds up
// row t, clears it, and adds the sum to hist[t].
//
// As it is, the counts may come out right many times, and then wrong. Your task:
// repair the loop. The columns, the rows and the rounds stay.
//
// Grade it:     warpbook exercise check merge_race
// Get a hint:   warpbook exercise hint merge_race

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    int t = threadIdx.x;
    for (int value = 0; value < 64; value++) counts[64 * value + t] = 0;

    for (int first = 0; first < n; first += 256) {
        for (int i = first + t; i < n && i < first + 256; i += 64)
            counts[64 * in[i] + t]++;
        // TODO: who counts in the words that this thread clears, and when?
        __syncthreads();
        unsigned sum = 0;
        for (int k = 0; k < 64; k++) {
            int at = 64 * t + (k + t) % 64;
            sum += counts[at];
            counts[at] = 0;
        }
        hist[t] += sum;
    }
}
