// A summed-area table of 4 x 4 pixels, by four threads.
extern "C" __global__ void make_table(unsigned *table, unsigned *box,
                                      const unsigned *image)
{
    unsigned x = threadIdx.x, above = 0;
    for (unsigned y = 0; y < 4; y++) {
        unsigned row = 0;
        for (unsigned i = 0; i <= x; i++) row += image[4 * y + i];
        above += row;
        table[4 * y + x] = above;
    }
    __syncwarp(0xf);
    if (x == 2) *box = table[4 * 2 + x] - table[x] - table[4 * 2] + table[0];
}
