// The bound lets one index too many through.
// expect: out-of-bounds
// launch: 1 64
// args: zeros:252 u32:63

extern "C" __global__ void one_too_many(int *out, unsigned n)
{
    if (threadIdx.x <= n)
        out[threadIdx.x] = 1; //~ out-of-bounds
}
