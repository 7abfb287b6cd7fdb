// A barrier with a reduction orders memory like one without.
// expect: none
// launch: 1 64
// args: zeros:256

extern "C" __global__ void any_thread(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t * 3;
    int any = __syncthreads_or(t == 5);
    out[t] = words[63 - t] + any;
}
