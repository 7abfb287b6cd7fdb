extern "C" __global__ void reference(int *keys, int *values, const int *left,
                                     const int *right, int n)
{
    int l = 0, r = 0;
    for (int place = 0; place < 2 * n; place++) {
        bool take_left = l < n && (r == n || left[l] <= right[r]);
        keys[place] = take_left ? left[l] : right[r];
        values[place] = take_left ? l++ : n + r++;
    }
}
