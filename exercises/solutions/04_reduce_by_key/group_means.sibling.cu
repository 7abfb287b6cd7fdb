// A sibling: the largest element of each row of a matrix, one warp for each row.
//
// The lanes walk along the row 32 elements at a time, so that neighbouring lanes read
// neighbouring elements. Then five rounds of shuffles leave the largest of all lanes in
// lane 0. A row always has an element here, so nobody has to ask for an empty one.
extern "C" __global__ void largest_of_rows(int *largest, const int *matrix, int columns,
                                           int rows)
{
    int row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= rows) return;
    int own = matrix[row * columns];
    for (int column = threadIdx.x; column < columns; column += 32)
        own = max(own, matrix[row * columns + column]);
    for (int distance = 16; distance > 0; distance /= 2)
        own = max(own, __shfl_down_sync(0xffffffff, own, distance));
    if (threadIdx.x == 0) largest[row] = own;
}
