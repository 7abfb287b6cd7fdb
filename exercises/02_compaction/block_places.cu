// Flags need no scan of words
//
// Each block keeps the positive ones of its 256 ints. It writes them side by side and
// in order to `out`, from the block's first element on, and their number to
// counts[blockIdx.x].
//
// As it is, 256 flags are scanned as words in shared memory, with 17 barriers. Your
// task: find `place` with a ballot in each warp, one total per warp in shared
// memory, and one barrier.
//
// Grade it:     warpbook exercise check block_places
// Get a hint:   warpbook exercise hint block_places

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    // TODO: a word for every flag, and two barriers for every round.
    __shared__ int sums[256];
    sums[t] = keep;
    __syncthreads();
    for (int offset = 1; offset < 256; offset *= 2) {
        int left = t >= offset ? sums[t - offset] : 0;
        __syncthreads();
        sums[t] += left;
        __syncthreads();
    }
    int place = sums[t] - keep;

    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 255) counts[blockIdx.x] = place + keep;
}
