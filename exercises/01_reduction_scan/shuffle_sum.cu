// Add up a warp by shuffles
//
// Each block adds up 256 ints, one per thread, and writes its sum to out[blockIdx.x].
//
// As it is, every round goes through shared memory and ends with a barrier. Your
// task: the same sum with one barrier, one word of shared memory per warp, and
// shuffles: __shfl_down_sync(0xffffffff, x, d) gives lane k the x of lane k + d.
//
// Grade it:     warpbook exercise check shuffle_sum
// Get a hint:   warpbook exercise hint shuffle_sum

extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = i < n ? in[i] : 0;

    // TODO: only the eight sums of the warps have to go through shared memory.
    __shared__ int partial[256];
    partial[t] = sum;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) partial[t] += partial[t + half];
        __syncthreads();
    }
    sum = partial[0];

    if (t == 0) out[blockIdx.x] = sum;
}
