// right: the lowest one is cut out of the word, and 31 minus its leading zeros is its
// right: number
__device__ int lowest(unsigned word) { return 31 - __clz(word & (0u - word)); }

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    int x = i < (size_t)n ? in[i] : 1;
    unsigned votes = __ballot_sync(0xffffffffu, x >> 31);
    if ((threadIdx.x & 31) == 0 && i < (size_t)n) out[i >> 5] = lowest(votes);
}
