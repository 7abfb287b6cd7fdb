// A copy for every lane
//
// Counts n values from 0 to 63 into `hist`, which is zero before. Each block takes 1024
// elements, four per thread, and has 32 copies of the 64 bins in shared memory.
//
// STARTER
//- // Your task: count, and merge. Lane k of every warp counts in copy k, and the
//- // copies lie so that copy k is in bank k: no two lanes of a warp ever meet. Then
//- // thread t adds up the 32 copies of value t, without bank conflicts, and adds the
//- // sum to hist[t].
// SOLUTION
// Word 32 * value + lane is in bank `lane`. The merge begins at another copy in each
// lane.
// END
//
// Grade it:     warpbook exercise check lane_copies
// Get a hint:   warpbook exercise hint lane_copies

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned copies[64 * 32];
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);
    for (int i = t; i < 64 * 32; i += 256) copies[i] = 0;
    __syncthreads();

    // STARTER
    //- // TODO: count the elements first + t, first + t + 256, ... below `end`; merge
    //- // the copies.
    //- if (first + t < end) atomicAdd(&copies[in[first + t]], 1u);
    //- __syncthreads();
    //- if (t < 64) atomicAdd(&hist[t], copies[t]);
    // SOLUTION
    for (int i = first + t; i < end; i += 256)
        atomicAdd(&copies[32 * in[i] + t % 32], 1u);
    __syncthreads();
    if (t < 64) {
        unsigned sum = 0;
        for (int k = 0; k < 32; k++) sum += copies[32 * t + (k + t) % 32];
        atomicAdd(&hist[t], sum);
    }
    // END
}
