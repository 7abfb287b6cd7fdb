// right: a search with a closed interval and a comparison of pairs: key first, then run

__device__ bool pair_before(int key, int run, int other_key, int other_run)
{
    if (key != other_key) return key < other_key;
    return run < other_run;
}

extern "C" __global__ void merge(int *keys, int *values, const int *left,
                                 const int *right, int n)
{
    const int *runs[2] = {left, right};
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    int run = threadIdx.y;
    if (i >= n) return;
    const int *own = run == 0 ? runs[0] : runs[1];
    const int *other = run == 0 ? runs[1] : runs[0];
    int key = own[i];

    int first = 0, last = n - 1;
    while (first <= last) {
        int middle = first + (last - first) / 2;
        if (pair_before(other[middle], 1 - run, key, run)) {
            first = middle + 1;
        } else {
            last = middle - 1;
        }
    }
    long long place = i + first;
    keys[place] = key;
    values[place] = run * n + (int)i;
}
