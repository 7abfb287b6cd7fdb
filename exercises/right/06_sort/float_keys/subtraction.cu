// right: integer arithmetic in place of exclusive or, on an array that is read as
// right: integers, with a loop over the grid

extern "C" __global__ void to_keys(unsigned *keys, const unsigned *in, int n)
{
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * blockDim.x) {
        unsigned bits = in[i];
        keys[i] = bits < 0x80000000 ? 0x80000000 + bits : 0xffffffff - bits;
    }
}
