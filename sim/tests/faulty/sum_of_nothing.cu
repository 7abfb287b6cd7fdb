// The kernel adds to a buffer that nobody has filled.
// expect: uninitialized
// launch: 2 32
// args: uninit:256

extern "C" __global__ void sum_of_nothing(int *out)
{
    out[blockIdx.x * 32 + threadIdx.x] += 1; //~ uninitialized
}
