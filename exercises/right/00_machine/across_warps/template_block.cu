// right: the size of the block is a template parameter, and each step is a device
// right: function
template <int Block>
__device__ void fill(int (&words)[Block], const int *in, int i, int n)
{
    if (i < n) words[threadIdx.x] = in[i];
}

template <int Block>
__device__ int difference(const int (&words)[Block], int i, int n)
{
    int t = threadIdx.x;
    if (t == Block - 1 || i + 1 >= n) return 0;
    return words[t + 1] - words[t];
}

extern "C" __global__ void differences(int *out, const int *in, int n)
{
    constexpr int block = 128;
    __shared__ int words[block];
    int i = blockIdx.x * block + threadIdx.x;
    fill(words, in, i, n);
    __syncthreads();
    int next = difference(words, i, n);
    if (i < n) out[i] = next;
}
