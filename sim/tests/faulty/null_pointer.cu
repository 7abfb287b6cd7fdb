// A null pointer is written through.
// expect: out-of-bounds
// launch: 1 32
// args: u64:0

extern "C" __global__ void null_pointer(int *out)
{
    out[threadIdx.x] = 1; //~ out-of-bounds
}
