// right: a scan of four counters of 8 bits in one word, by shuffles

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = i % 32;
    if (i / 32 >= warps) return;
    unsigned key = in[i];
    unsigned digit = key >> shift & 3;

    unsigned counts = 1u << 8 * digit;
    for (int distance = 1; distance < 32; distance *= 2) {
        unsigned left = __shfl_up_sync(0xffffffff, counts, distance);
        if (lane >= distance) counts += left;
    }
    unsigned totals = __shfl_sync(0xffffffff, counts, 31);
    // Each byte gets the sum of the bytes below it. A byte holds up to 32, so nothing
    // is carried.
    unsigned begins = totals * 0x01010100;
    unsigned place = ((begins + counts) >> 8 * digit & 255) - 1;
    out[i - lane + place] = key;
}
