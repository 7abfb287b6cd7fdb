// An index far behind a thread's own array.
// expect: out-of-bounds
// launch: 1 32
// args: zeros:128 u32:100000

extern "C" __global__ void behind_a_local_array(int *out, unsigned n)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = i + n;
    out[threadIdx.x] = own[n]; //~ out-of-bounds
}
