// Each warp has a barrier of its own branch: the hardware counts both, the language forbids it.
// expect: barrier-divergence
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barriers_of_two_branches(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t;
    if (t < 32) {
        __syncthreads(); //~ barrier-divergence
        out[t] = words[63 - t];
    } else {
        __syncthreads(); //~ party
        out[t] = words[63 - t] + 1;
    }
}
