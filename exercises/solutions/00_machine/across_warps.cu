// Your neighbour may be in another warp
//
// Each block takes 128 ints. Thread t writes the difference between the next element of
// the block and its own; where the block or the array has no next element, 0.
//
// STARTER
//- // As it is, some threads may read a number before it is there. Your task: make sure
//- // that it is. The loads and stores stay.
// SOLUTION
// All warps of the block wait between storing and reading.
// END
//
// Grade it:     warpbook exercise check across_warps
// Get a hint:   warpbook exercise hint across_warps

extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
    // STARTER
    //- if (i < n) words[t] = in[i];
    //- __syncwarp();  // TODO: who waits here, and for whom?
    //- int next = 0;
    //- if (t < 127 && i + 1 < n) next = words[t + 1] - words[t];
    // SOLUTION
    if (i < n) words[t] = in[i];
    __syncthreads();
    int next = 0;
    if (t < 127 && i + 1 < n) next = words[t + 1] - words[t];
    // END
    if (i < n) out[i] = next;
}
