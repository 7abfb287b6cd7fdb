// Add up a block
//
// Each block adds up to 256 ints, one per thread, and writes its sum to
// out[blockIdx.x].
//
// Your task: each thread has put its int into `partial`. Add them pairwise: in the
// first round 128 threads add the upper half to the lower half, then 64 threads,
// and so on, until the sum is in partial[0]. Mind that other warps write what you
// read.
//
// Grade it:     warpbook exercise check block_sum
// Get a hint:   warpbook exercise hint block_sum

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;

    // TODO: add the 256 ints in `partial`, with as few rounds as possible.

    if (t == 0) out[blockIdx.x] = partial[0];
}
