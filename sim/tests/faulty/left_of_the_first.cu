// The left neighbour of the first element.
// expect: out-of-bounds
// launch: 1 64
// args: iota:64 zeros:256

extern "C" __global__ void left_of_the_first(const int *in, int *out)
{
    out[threadIdx.x] = in[(int)threadIdx.x - 1]; //~ out-of-bounds
}
