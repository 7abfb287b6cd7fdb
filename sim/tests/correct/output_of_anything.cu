// An output buffer of anything that is written and never read.
// expect: none
// launch: 2 64
// args: iota:128 uninit:512

extern "C" __global__ void output_of_anything(const int *in, int *out)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    out[i] = in[i] * 2;
}
