// A thread goes on and on behind the end of a buffer. A GPU stops it at the first step.
// expect: out-of-bounds
// launch: 1 32
// args: zeros:128

extern "C" __global__ void walk_off_the_end(int *out)
{
    for (unsigned long long i = threadIdx.x; i < 1ull << 40; i += 32)
        out[i] = i; //~ out-of-bounds
}
