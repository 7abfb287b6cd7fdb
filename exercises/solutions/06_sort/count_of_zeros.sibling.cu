// A sibling: the sum of a row of numbers, from their exclusive scan.
//
// The numbers 3 1 4 have the exclusive scan 0 3 4. Its last element is the sum of all
// but the last: 4 + 4 = 8 is the sum of all. An inclusive scan, 3 4 8, would end with
// the sum itself.
extern "C" __global__ void sum_of_row(int *sum, const int *exclusive, const int *row,
                                      int n)
{
    if (threadIdx.x == 0) *sum = exclusive[n - 1] + row[n - 1];
}
