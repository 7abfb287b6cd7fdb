// wrong: a thread should load two neighbours, as the first listing did: a warp then
// wrong: strides over memory
// fails: contract
// because: Lane k reads elements 2k and 2k + 1 in two instructions: each touches every
// because: sector of 64 elements and uses half of it. Elements t and t + tile / 2 are
// because: consecutive from lane to lane.

#define LOG_NUM_BANKS 5
#define CONFLICT_FREE_OFFSET(n) (((n) >> LOG_NUM_BANKS) + ((n) >> (2 * LOG_NUM_BANKS)))

// Block b scans the `tile` elements from b * tile on, with tile / 2 threads. Elements
// beyond `count` count as zero.
extern "C" __global__ void scan_padded(float *out, const float *in, int count, int tile)
{
    extern __shared__ float temp[];
    int t = threadIdx.x;
    int base = blockIdx.x * tile;

    // Each thread moves one element of each half of the tile.
    int a = 2 * t;
    int b = 2 * t + 1;
    int offset_a = CONFLICT_FREE_OFFSET(a);
    int offset_b = CONFLICT_FREE_OFFSET(b);
    temp[a + offset_a] = base + a < count ? in[base + a] : 0.0f;
    temp[b + offset_b] = base + b < count ? in[base + b] : 0.0f;

    // Up-sweep: sums go from the leaves to the root.
    int stride = 1;
    for (int active = tile / 2; active > 0; active /= 2) {
        __syncthreads();
        if (t < active) {
            int left = stride * (2 * t + 1) - 1;
            int right = stride * (2 * t + 2) - 1;
            left += CONFLICT_FREE_OFFSET(left);
            right += CONFLICT_FREE_OFFSET(right);
            temp[right] += temp[left];
        }
        stride *= 2;
    }

    // The root gets the identity of the sum.
    if (t == 0) temp[tile - 1 + CONFLICT_FREE_OFFSET(tile - 1)] = 0.0f;

    // Down-sweep: prefixes go from the root to the leaves.
    for (int active = 1; active < tile; active *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < active) {
            int left = stride * (2 * t + 1) - 1;
            int right = stride * (2 * t + 2) - 1;
            left += CONFLICT_FREE_OFFSET(left);
            right += CONFLICT_FREE_OFFSET(right);
            float sum = temp[left];
            temp[left] = temp[right];
            temp[right] += sum;
        }
    }
    __syncthreads();

    if (base + a < count) out[base + a] = temp[a + offset_a];
    if (base + b < count) out[base + b] = temp[b + offset_b];
}
