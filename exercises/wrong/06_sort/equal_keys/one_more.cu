// wrong: a key of the right run goes one place further
// fails: findings, result, contract
// because: Only if there is an equal key on the left; and if there are three of them,
// because: three places.

extern "C" __global__ void merge(int *keys, int *values, const int *left,
                                 const int *right, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    bool is_left = threadIdx.y == 0;
    const int *own = is_left ? left : right, *other = is_left ? right : left;
    int key = own[i];

    int low = 0, high = n;  // how many keys of the other run come before this one
    while (low < high) {
        int middle = (low + high) / 2;
        int there = other[middle];
        bool comes_before = there < key;
        if (comes_before)
            low = middle + 1;
        else
            high = middle;
    }
    if (!is_left && low < n) low++;
    keys[i + low] = key;
    values[i + low] = is_left ? i : n + i;
}
