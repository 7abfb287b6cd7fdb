// wrong: to divide by the number of banks, shift by the number of banks
// fails: contract
// because: A shift by k divides by 2 to the power of k: n >> 32 is no division by 32,
// because: and 32 = 2^5 needs a shift by 5.

#define NUM_BANKS 16
#define CONFLICT_FREE_OFFSET(n) ((n) >> NUM_BANKS)

// Block b scans the `tile` elements from b * tile on, with tile / 2 threads. Elements
// beyond `count` count as zero.
extern "C" __global__ void scan_padded(float *out, const float *in, int count, int tile)
{
    extern __shared__ float temp[];
    int t = threadIdx.x;
    int base = blockIdx.x * tile;

    // Each thread moves one element of each half of the tile.
    int a = t;
    int b = t + tile / 2;
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
