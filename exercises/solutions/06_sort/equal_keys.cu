// Two keys, one place
//
// Two sorted runs of n keys each are merged. Warps with threadIdx.y = 0 take keys of
// the left run, the others keys of the right run. A key goes to its place in its own
// run, plus the number of keys of the other run that come before it. `values` tells
// where each key is from: its place in the left run, or n more than its place in the
// right one.
//
// STARTER
//- // Without equal keys the result is right. Your task: make it right for equal keys,
//- // and stable: those of the left run come first.
// SOLUTION
// A key of the right run comes behind equal keys of the left run, so it counts them,
// too.
// END
//
// Grade it:     warpbook exercise check equal_keys
// Get a hint:   warpbook exercise hint equal_keys

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
        // STARTER
        //- bool comes_before = other[middle] < key;
        // SOLUTION
        int there = other[middle];
        bool comes_before = is_left ? there < key : there <= key;
        // END
        if (comes_before)
            low = middle + 1;
        else
            high = middle;
    }
    keys[i + low] = key;
    values[i + low] = is_left ? i : n + i;
}
