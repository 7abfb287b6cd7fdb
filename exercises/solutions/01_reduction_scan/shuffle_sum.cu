// Add up a warp by shuffles
//
// Each block adds up 256 ints, one per thread, and writes its sum to out[blockIdx.x].
//
// STARTER
//- // As it is, every round goes through shared memory and ends with a barrier. Your
//- // task: the same sum with one barrier, one word of shared memory per warp, and
//- // shuffles: __shfl_down_sync(0xffffffff, x, d) gives lane k the x of lane k + d.
// SOLUTION
// Lanes add through shuffles, and the eight warps through shared memory, with one
// barrier.
// END
//
// Grade it:     warpbook exercise check shuffle_sum
// Get a hint:   warpbook exercise hint shuffle_sum

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    // STARTER
    //- // TODO: only the eight sums of the warps have to go through shared memory.
    //- __shared__ int partial[256];
    //- partial[t] = sum;
    //- __syncthreads();
    //- for (int half = 128; half > 0; half /= 2) {
    //-     if (t < half) partial[t] += partial[t + half];
    //-     __syncthreads();
    //- }
    //- sum = partial[0];
    // SOLUTION
    __shared__ int of_warp[8];
    for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = t < 8 ? of_warp[t] : 0;
        for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffff, sum, d);
    }
    // END

    if (t == 0) out[blockIdx.x] = sum;
}
