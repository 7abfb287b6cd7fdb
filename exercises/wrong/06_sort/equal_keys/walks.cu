// wrong: a loop over all keys of the other run is simpler
// fails: contract
// because: The result is right, but each key loads the whole other run, where a binary
// because: search takes at most seven loads for 64 keys.

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
        int middle = low;
        int there = other[middle];
        bool comes_before = is_left ? there < key : there <= key;
        if (comes_before)
            low = middle + 1;
        else
            high = middle;
    }
    keys[i + low] = key;
    values[i + low] = is_left ? i : n + i;
}
