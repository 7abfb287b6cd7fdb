// Pairs are read from a pointer that was moved by one word.
// expect: misaligned
// launch: 1 32
// args: iota:128 zeros:256

extern "C" __global__ void pair_at_an_odd_word(const int *in, int2 *out)
{
    out[threadIdx.x] = reinterpret_cast<const int2 *>(in + 1)[threadIdx.x]; //~ misaligned
}
