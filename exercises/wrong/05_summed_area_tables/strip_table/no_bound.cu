// wrong: a lane without a left neighbour gets a 0 from the shuffle
// fails: result
// because: It gets its own number back, and would add it a second time.

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    int x = threadIdx.x;
    int above = 0;  // the table's element in the row above
    for (int y = 0; y < h; y++) {
        int sum = x < w ? image[y * w + x] : 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            int left = __shfl_up_sync(0xffffffff, sum, distance);
            sum += left;
        }
        above += sum;
        if (x < w) table[y * w + x] = above;
    }
}
