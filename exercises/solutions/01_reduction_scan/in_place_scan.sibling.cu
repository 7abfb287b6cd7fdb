// A sibling: every number of a block moves one place to the left, and the first one to
// the end.
//
// `words[t] = words[(t + 1) % 128]` reads what another thread writes. Warp 0 reads
// word 32 for its lane 31; if warp 1 has been there already, that is the number of
// lane 33. So the numbers are taken into registers first, then all threads wait, and
// then they are stored. The barrier before the reads is the one after filling; the
// one after the writes is for the threads that read next.
extern "C" __global__ void rotate(int *out, const int *in)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    words[t] = in[t];
    __syncthreads();
    int next = words[(t + 1) % 128];
    __syncthreads();
    words[t] = next;
    __syncthreads();
    out[t] = words[t];
}
