// right: two searches in helper functions, before equal keys and behind them

__device__ int count_smaller(const int *run, int n, int key)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (run[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

__device__ int count_up_to(const int *run, int n, int key)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (run[middle] > key) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

extern "C" __global__ void merge(int *keys, int *values, const int *left,
                                 const int *right, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        if (threadIdx.y == 0) {
            const int key = left[i], place = i + count_smaller(right, n, key);
            keys[place] = key;
            values[place] = i;
        } else {
            const int key = right[i], place = i + count_up_to(left, n, key);
            keys[place] = key;
            values[place] = n + i;
        }
    }
}
