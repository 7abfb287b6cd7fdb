// A scan in place
//
// Each block makes the prefix sums of 256 ints: element t becomes the sum of elements 0
// to t. In the round with `offset`, every element adds the one that stands `offset`
// before it.
//
// STARTER
//- // As it is, warps of the block get into each other's way: what one reads, another
//- // may have written already. Your task: repair the round. Keep the array, the eight
//- // rounds and the 256 threads.
// SOLUTION
// A round has two halves with a barrier between: all read, then all write.
// END
//
// Grade it:     warpbook exercise check in_place_scan
// Get a hint:   warpbook exercise hint in_place_scan

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        // STARTER
        //- // TODO: which warp may have written temp[t - offset] before it is read
        //- // here?
        //- if (t >= offset) temp[t] += temp[t - offset];
        //- __syncthreads();
        // SOLUTION
        int left = t >= offset ? temp[t - offset] : 0;
        __syncthreads();
        temp[t] += left;
        __syncthreads();
        // END
    }

    if (i < n) out[i] = temp[t];
}
