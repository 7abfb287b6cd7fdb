// A loop whose condition stays true.
// expect: budget
// launch: 1 32
// args: zeros:128 u32:3

extern "C" __global__ void endless_loop(unsigned *out, unsigned step)
{
    unsigned i = 0;
    for (; i != 101; i = (i + step) & 0xfffe); //~ budget
    out[threadIdx.x] = i;
}
