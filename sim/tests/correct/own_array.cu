// A thread's own array with indices that only the run shows.
// expect: none
// launch: 1 32
// args: zeros:128 u32:3

extern "C" __global__ void own_array(int *out, unsigned n)
{
    int own[8];
    for (int i = 0; i < 8; i++)
        own[i] = i * n;
    out[threadIdx.x] = own[(threadIdx.x + n) % 8];
}
