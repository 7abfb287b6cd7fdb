// The last block has more threads than there are elements.
// expect: out-of-bounds
// launch: 4 64
// args: iota:200 zeros:800

extern "C" __global__ void ragged_end_without_bound(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i] + 1; //~ out-of-bounds
}
