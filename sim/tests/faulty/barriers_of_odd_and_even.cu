// Odd and even threads of the same warp have barriers of their own.
// expect: barrier-divergence
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barriers_of_odd_and_even(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t;
    if (t % 2) {
        __syncthreads(); //~ barrier-divergence
        out[t] = words[63 - t];
    } else {
        __syncthreads(); //~ party
        out[t] = words[63 - t] + 1;
    }
}
