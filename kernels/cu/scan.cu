// Exclusive prefix sum (scan) of float arrays: every thread block scans its own tile.
//
// The kernels follow chapter 39 of GPU Gems 3 (Harris, Sengupta, Owens, 2007), in our
// own code.
// What each version changes:
//
//   1  scan_naive                  one thread per element, log2(n) rounds, double
//                                  buffer (Listing 39-1, corrected)
//   2  scan_blelloch_pairs         work-efficient tree, a thread loads a pair of
//                                  neighbours (Listing 39-2)
//   3  scan_blelloch               the same tree, a thread loads from the two halves of
//                                  the tile (block A of 39-4)
//   4  scan_blelloch_macro         plus the padding macro exactly as printed in
//                                  Listing 39-3: it pads nothing
//   5  scan_blelloch_padded        plus padding that works, on 32 banks
//
// Parameters of every kernel: `tile` is the number of elements that one thread block
// scans (a power of two), `count` the number of elements in the whole array. The last
// tile may be ragged: missing elements count as zero.
// Launch: ceil(count / tile) blocks of `tile` threads (version 1) or `tile / 2` threads
// (the others). Dynamic shared memory in floats: 2 * tile (1), tile (2, 3, 4),
// tile + (tile - 1) / 32 + (tile - 1) / 1024 (5).
//
// The CPU reference is `kernels/src/problem/scan.rs`.

// ANCHOR: scan_naive
// Hillis and Steele's scan: in round r every element adds its neighbour 2^r to the
// left.
// Wrong about it: n log2(n) additions where n - 1 would do, and every lane works in
// every round.
// Right about it: neighbouring lanes touch neighbouring words, so no bank is ever hit
// twice.
extern "C" __global__ void scan_naive(float *out, const float *in, int count, int tile)
{
    extern __shared__ float temp[];  // two buffers of `tile` floats
    int t = threadIdx.x;
    int i = blockIdx.x * tile + t;
    int to = 0, from = 1;

    temp[t] =
        (t > 0 && i <= count) ? in[i - 1] : 0.0f;  // exclusive: shifted right by one
    __syncthreads();

    for (int offset = 1; offset < tile; offset *= 2) {
        to = 1 - to;
        from = 1 - to;
        if (t >= offset)
            temp[to * tile + t] =
                temp[from * tile + t] + temp[from * tile + t - offset];
        else
            temp[to * tile + t] = temp[from * tile + t];
        __syncthreads();
    }

    if (i < count) out[i] = temp[to * tile + t];
}
// ANCHOR_END: scan_naive

// ANCHOR: padding
// How many words of padding lie before word i of the tile. The tree below is the same
// for all three.
__device__ __forceinline__ int no_padding(int i) { return 0; }

// Listing 39-3, letter for letter. `+` binds tighter than `>>`, so this is (n >>
// (16 + n)) >> 8: always zero.
#define NUM_BANKS 16
#define LOG_NUM_BANKS 4
#define CONFLICT_FREE_OFFSET(n) ((n) >> NUM_BANKS + (n) >> (2 * LOG_NUM_BANKS))
__device__ __forceinline__ int padding_as_printed(int i)
{
    return CONFLICT_FREE_OFFSET(i);
}

// What was meant, for today's 32 banks: one word after every 32, and one more after
// every 1024.
__device__ __forceinline__ int padding(int i) { return (i >> 5) + (i >> 10); }
// ANCHOR_END: padding

// ANCHOR: sweeps
// Blelloch's tree over a tile in shared memory: sums go up, prefixes come down. 2
// (n - 1) additions.
template <int (*pad)(int)>
__device__ __forceinline__ void tree_sweeps(float *temp, int tile, int t)
{
    int offset = 1;
    for (int d = tile >> 1; d > 0; d >>= 1) {  // up-sweep: from the leaves to the root
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1;
            int right = offset * (2 * t + 2) - 1;
            left += pad(left);
            right += pad(right);
            temp[right] += temp[left];
        }
        offset *= 2;
    }

    if (t == 0) temp[tile - 1 + pad(tile - 1)] = 0.0f;  // the root gets the identity

    for (int d = 1; d < tile; d *= 2) {  // down-sweep: from the root to the leaves
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1;
            int right = offset * (2 * t + 2) - 1;
            left += pad(left);
            right += pad(right);
            float sum = temp[left];
            temp[left] = temp[right];
            temp[right] += sum;
        }
    }
    __syncthreads();
}
// ANCHOR_END: sweeps

// ANCHOR: scan_blelloch_pairs
// The work-efficient scan as first printed: thread t moves elements 2t and 2t + 1.
// Wrong about it: the tree's strides 2, 4, 8, ... put up to 32 lanes on one bank.
// The listing's pairwise loads were a two-way conflict in 2007; look at what the
// compiler makes of them today.
extern "C" __global__ void scan_blelloch_pairs(float *out, const float *in, int count,
                                               int tile)
{
    extern __shared__ float temp[];
    int t = threadIdx.x;
    int i = blockIdx.x * tile + 2 * t;

    if (i + 1 < count) {
        temp[2 * t] = in[i];
        temp[2 * t + 1] = in[i + 1];
    } else {  // the ragged end of the array
        temp[2 * t] = i < count ? in[i] : 0.0f;
        temp[2 * t + 1] = 0.0f;
    }
    tree_sweeps<no_padding>(temp, tile, t);
    if (i + 1 < count) {
        out[i] = temp[2 * t];
        out[i + 1] = temp[2 * t + 1];
    } else if (i < count) {
        out[i] = temp[2 * t];
    }
}
// ANCHOR_END: scan_blelloch_pairs

// ANCHOR: halves
// The same scan with the loads of Listing 39-4: thread t moves one element of each half
// of the tile, so that neighbouring lanes touch neighbouring words in global and in
// shared memory.
template <int (*pad)(int)>
__device__ __forceinline__ void scan_halves(float *temp, float *out, const float *in,
                                            int count, int tile)
{
    int t = threadIdx.x;
    int a = t;
    int b = t + tile / 2;
    int base = blockIdx.x * tile;

    temp[a + pad(a)] = base + a < count ? in[base + a] : 0.0f;
    temp[b + pad(b)] = base + b < count ? in[base + b] : 0.0f;
    tree_sweeps<pad>(temp, tile, t);
    if (base + a < count) out[base + a] = temp[a + pad(a)];
    if (base + b < count) out[base + b] = temp[b + pad(b)];
}
// ANCHOR_END: halves

// ANCHOR: scan_blelloch
// Work-efficient, unpadded. Fewer additions than scan_naive, and slower in shared
// memory all the same:
// the tree's strides put 2, 4, 8, ... lanes of a warp on the same bank.
// Compare its wavefronts with scan_naive's before you believe in operation counts.
extern "C" __global__ void scan_blelloch(float *out, const float *in, int count,
                                         int tile)
{
    extern __shared__ float temp[];
    scan_halves<no_padding>(temp, out, in, count, tile);
}
// ANCHOR_END: scan_blelloch

// ANCHOR: scan_blelloch_macro
// The "conflict-free" scan with the macro as the chapter printed it. The result is
// right, so no test complains.
// Wrong about it: the macro is always zero, and so every counter equals
// scan_blelloch's, line by line.
// It also pays for the arithmetic of an offset that never comes.
extern "C" __global__ void scan_blelloch_macro(float *out, const float *in, int count,
                                               int tile)
{
    extern __shared__ float temp[];
    scan_halves<padding_as_printed>(temp, out, in, count, tile);
}
// ANCHOR_END: scan_blelloch_macro

// ANCHOR: scan_blelloch_padded
// The "conflict-free" scan as it was meant, its macro in brackets and for 32 banks.
// Better: one wavefront per access at every level of the tree.
// The price: tile / 32 + tile / 1024 more words of shared memory, and an addition per
// index.
extern "C" __global__ void scan_blelloch_padded(float *out, const float *in, int count,
                                                int tile)
{
    extern __shared__ float temp[];
    scan_halves<padding>(temp, out, in, count, tile);
}
// ANCHOR_END: scan_blelloch_padded
