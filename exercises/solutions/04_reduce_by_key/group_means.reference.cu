extern "C" __global__ void reference(unsigned *means, const unsigned *values,
                                     const unsigned *offsets, unsigned groups)
{
    for (unsigned group = 0; group < groups; group++) {
        unsigned sum = 0, count = 0;
        for (unsigned i = offsets[group]; i != offsets[group + 1]; i++) {
            sum += values[i];
            count++;
        }
        means[group] = count == 0 ? 0 : sum / count;
    }
}
