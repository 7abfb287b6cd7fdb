// The last block has more threads than there are elements, and says so.
// expect: none
// launch: 4 64
// args: iota:200 zeros:800 u32:200

extern "C" __global__ void ragged_end_with_bound(const int *in, int *out, unsigned n)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i] + 1;
}
