// right: a key of the right run looks for the first one that is at least one larger,
// right: in 64 bits; a template per run

template <bool IsLeft>
__device__ void place(int *keys, int *values, const int *__restrict__ own,
                      const int *__restrict__ other, int n, int i)
{
    const int key = own[i];
    const long long bound = IsLeft ? (long long)key : key + 1ll;
    unsigned low = 0, length = n;
    while (length > 0) {
        const unsigned half = length / 2;
        const bool comes_before = other[low + half] < bound;
        low = comes_before ? low + half + 1 : low;
        length = comes_before ? length - half - 1 : half;
    }
    keys[i + low] = key;
    values[i + low] = IsLeft ? i : n + i;
}

extern "C" __global__ void merge(int *keys, int *values, const int *left,
                                 const int *right, int n)
{
    int i = blockIdx.x * 32 + threadIdx.x;
    if (i >= n) return;
    if (threadIdx.y == 0)
        place<true>(keys, values, left, right, n, i);
    else
        place<false>(keys, values, right, left, n, i);
}
