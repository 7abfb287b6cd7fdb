// wrong: it is enough that the threads of one block are neighbours
// fails: result, contract
// because: The step is blockDim.x, but a block's elements do not begin at its own
// because: threads' indices: the blocks leave gaps behind the first round, or walk over
// because: each other's elements.

extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < per; k++) {
        int i = t + k * blockDim.x;
        if (i < n) out[i] = 2.0f * in[i];
    }
}
