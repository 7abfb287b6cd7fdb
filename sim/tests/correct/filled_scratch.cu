// A scratch buffer of anything is filled before it is read, by other threads too.
// expect: none
// launch: 2 64
// args: uninit:512 zeros:512

extern "C" __global__ void filled_scratch(int *scratch, int *out)
{
    int first = blockIdx.x * 64, t = threadIdx.x;
    scratch[first + t] = t;
    __syncthreads();
    out[first + t] = scratch[first + 63 - t];
}
