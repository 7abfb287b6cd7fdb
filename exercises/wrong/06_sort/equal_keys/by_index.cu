// wrong: of equal keys the one with the smaller index comes first
// fails: findings, result, contract
// because: That does not fit with keys that stand before and behind: the two searches
// because: no longer agree about who is first.

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
        bool comes_before = there < key || (there == key && middle < i);
        if (comes_before)
            low = middle + 1;
        else
            high = middle;
    }
    keys[i + low] = key;
    values[i + low] = is_left ? i : n + i;
}
