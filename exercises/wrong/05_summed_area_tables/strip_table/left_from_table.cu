// wrong: the row above can be read from the table
// fails: contract
// because: The result is right, but each element is loaded again, which makes twice as
// because: many loads. The lane that needs it has just computed it.

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    int x = threadIdx.x;
    int above = 0;  // the table's element in the row above
    for (int y = 0; y < h; y++) {
        int sum = x < w ? image[y * w + x] : 0;
        for (int distance = 1; distance < 32; distance *= 2) {
            int left = __shfl_up_sync(0xffffffff, sum, distance);
            if (x >= distance) sum += left;
        }
        above = sum + (y > 0 && x < w ? table[(y - 1) * w + x] : 0);
        if (x < w) table[y * w + x] = above;
    }
}
