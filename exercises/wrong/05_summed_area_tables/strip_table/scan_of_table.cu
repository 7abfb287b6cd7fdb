// wrong: the scan can run over the table of the row above plus this pixel
// fails: result
// because: What is above has been added up along its row already. Scanned once more, it
// because: is counted several times.

extern "C" __global__ void make_table(int *table, const int *image, int w, int h)
{
    int x = threadIdx.x;
    int above = 0;  // the table's element in the row above
    for (int y = 0; y < h; y++) {
        int sum = above + (x < w ? image[y * w + x] : 0);
        for (int distance = 1; distance < 32; distance *= 2) {
            int left = __shfl_up_sync(0xffffffff, sum, distance);
            if (x >= distance) sum += left;
        }
        above = sum;
        if (x < w) table[y * w + x] = above;
    }
}
