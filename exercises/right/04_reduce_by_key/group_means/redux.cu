// right: the sum of the lanes by one instruction, and a divisor that is never zero

extern "C" __global__ void group_means(unsigned *means, const unsigned *values,
                                       const unsigned *offsets, unsigned groups)
{
    unsigned group = blockIdx.x * 4 + threadIdx.x / 32;
    if (group < groups) {
        const unsigned *first = values + offsets[group];
        const unsigned *last = values + offsets[group + 1];
        unsigned sum = 0;
        for (const unsigned *at = first + threadIdx.x % 32; at < last; at += 32)
            sum += *at;
        sum = __reduce_add_sync(0xffffffff, sum);
        unsigned count = (unsigned)(last - first);
        if (threadIdx.x % 32 == 0) means[group] = sum / max(count, 1u);
    }
}
