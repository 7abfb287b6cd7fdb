// right: indices of 64 bits, and shuffles after which every lane has the sum

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    size_t group = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x & 31;
    if (group < groups) {
        size_t begin = __ldg(offsets + group), end = __ldg(offsets + group + 1);
        unsigned sum = 0;
        for (size_t i = begin + lane; i < end; i += 32) sum += __ldg(values + i);
        for (int d = 16; d > 0; d >>= 1) sum += __shfl_xor_sync(0xffffffff, sum, d);
        unsigned count = end - begin;
        if (lane == 0) means[group] = count > 0 ? sum / count : 0;
    }
}
