// A sibling: sums of pieces of a row, from the row's inclusive scan.
//
// The row 3 1 4 1 has the scan 3 4 8 9. The piece from 1 to 2 is 1 + 4 = 8 - 3: what is
// taken away is the scan at first - 1 = 0, which ends before the piece begins. For the
// piece from 0 to 2 there is nothing before, and nothing is read.
extern "C" __global__ void pieces(int *sums, const int *scan, const int *first,
                                  const int *last, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    int before = first[i] == 0 ? 0 : scan[first[i] - 1];
    sums[i] = scan[last[i]] - before;
}
