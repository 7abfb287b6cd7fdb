// right: the search keeps one place that comes before the key and one that does not,
// right: both at first outside of the run

extern "C" __global__ void merge(int *keys, int *values, const int *left,
                                 const int *right, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    bool is_left = threadIdx.y == 0;
    const int *other = is_left ? right : left;
    int key = is_left ? left[i] : right[i];

    int before = -1, behind = n;
    while (behind - before > 1) {
        int middle = before + (behind - before) / 2;
        int there = other[middle];
        bool comes_before = is_left ? there < key : !(key < there);
        (comes_before ? before : behind) = middle;
    }
    keys[i + behind] = key;
    values[i + behind] = is_left ? i : i + n;
}
