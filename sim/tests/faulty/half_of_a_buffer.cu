// Only the even elements of a scratch buffer are written before all are read.
// expect: uninitialized
// launch: 1 64
// args: uninit:512 zeros:512

extern "C" __global__ void half_of_a_buffer(int *scratch, int *out)
{
    int t = threadIdx.x;
    scratch[2 * t] = t;
    __syncthreads();
    out[t] = scratch[t]; //~ uninitialized
}
