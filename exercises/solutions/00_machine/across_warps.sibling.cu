// A sibling: the numbers of a block are handed round. Thread t gets that of thread
// t - 1, thread 0 that of thread 63.
//
// Within a warp, thread 5 gets the number of thread 4: the same warp. But thread 32
// gets that of thread 31, which is in warp 0, and thread 0 that of thread 63, in
// warp 1. One pair that crosses a border is enough: all threads of the block wait,
// after all have stored and before any of them reads.
extern "C" __global__ void hand_round(int *out, const int *in)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = in[t];
    __syncthreads();
    out[t] = words[(t + 63) % 64];
}
