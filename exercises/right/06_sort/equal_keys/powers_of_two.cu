// right: the search grows by powers of two instead of halving an interval

extern "C" __global__ void merge(int *keys, int *values, const int *left,
                                 const int *right, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    bool is_left = threadIdx.y == 0;
    const int *own = is_left ? left : right;
    const int *other = is_left ? right : left;
    int key = own[i];

    int before = 0;
    for (int step = 1 << (31 - __clz(n)); step > 0; step /= 2) {
        if (before + step > n) continue;
        int there = other[before + step - 1];
        if (there < key || (!is_left && there == key)) before += step;
    }
    keys[i + before] = key;
    values[i + before] = is_left ? i : n + i;
}
