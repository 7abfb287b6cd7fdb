// A sibling: rows of a matrix are added up, one thread per row.
//
// If thread r walks along row r, then in each round the lanes of a warp read elements
// that are `columns` apart: 32 sectors for 32 floats. If the matrix is kept transposed,
// thread r walks down column r, and in each round the lanes read 32 consecutive floats,
// 4 sectors. What counts is not the order in which one thread reads, but what the lanes
// read in the same instruction.
extern "C" __global__ void row_sums(float *sums, const float *transposed, int rows,
                                    int columns)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float sum = 0.0f;
    for (int c = 0; c < columns; c++) {
        sum += transposed[c * rows + r];
    }
    sums[r] = sum;
}
