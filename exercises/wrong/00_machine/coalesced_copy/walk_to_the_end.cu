// wrong: stepping by the block is as good as stepping by all threads
// fails: contract
// because: With a step of blockDim.x every block walks to the end of the array: later
// because: elements are written by several blocks, which nothing orders, and read again
// because: and again.

extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = t; i < n; i += blockDim.x) {
        out[i] = 2.0f * in[i];
    }
}
