// Copies and transposes of an array of unsigned ints: how fast memory is for
// kernels that compute nothing. (100 % in the ladders is the driver's copy.)
// warpbook: arch=compute_80
//
// No algorithm that reads an array and writes one of the same size can be faster than a
// copy of it, and a transpose is a copy in another order. What each version changes:
//
//    1  copy_words          one element per thread
//    2  copy_vectors        16 bytes per load and store, four of them per thread in
//                           flight at a time
//    3  transpose_naive     reads rows and writes columns
//    4  transpose_shared    turns a tile in shared memory: rows on both sides, but a
//                           column of the tile is one bank
//    5  transpose_padded    a word more per row of the tile: its columns lie in all
//                           banks
//    6  transpose_vectors   16 bytes per access on both sides, and no word more: rows
//                           of the tile are permuted
//
// Launch: blocks of 256 threads, ceil(count / 256) of them for 1 and ceil(count / 4096)
// for 2; blocks of 32 x 8 threads on a grid of ceil(width / 32) x ceil(height / 32)
// for 3 to 5; blocks of 256 threads on a grid of ceil(width / 64) x ceil(height / 64)
// for 6, which takes widths and heights that are multiples of 4. `in` and `out` begin
// at a multiple of 16 bytes, as every allocation does. `evict` is no version: it
// empties the caches between measurements.
//
// The CPU reference is `kernels/src/problem/copy.rs`.

// ANCHOR: copy_words
// One element per thread.
// Wrong about it: a thread has one load of 4 bytes in flight, and nothing to do until
// it arrives.
// Right about it: every request is four sectors, all of them used.
extern "C" __global__ void copy_words(unsigned *out, const unsigned *in, unsigned count)
{
    size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) out[i] = in[i];
}
// ANCHOR_END: copy_words

// ANCHOR: copy_vectors
// Four loads of 16 bytes are in flight before the first store.
// Wrong about it: a block's 16 KiB are many for a small array.
// Right about it: a quarter of the instructions, and sixteen times the bytes in flight
// per thread.
extern "C" __global__ void copy_vectors(uint4 *out, const uint4 *in, unsigned count)
{
    constexpr unsigned THREADS = 256, EACH = 4;
    unsigned vectors = count / 4;
    size_t first = size_t(blockIdx.x) * (THREADS * EACH) + threadIdx.x;

    if (first + (EACH - 1) * THREADS < vectors) {
        uint4 values[EACH];
        for (unsigned k = 0; k < EACH; k++) values[k] = in[first + k * THREADS];
        for (unsigned k = 0; k < EACH; k++) out[first + k * THREADS] = values[k];
    } else {
        for (size_t i = first; i < vectors && i < first + EACH * THREADS; i += THREADS)
            out[i] = in[i];
    }
    // The last elements, which do not fill a vector.
    if (blockIdx.x == gridDim.x - 1 && threadIdx.x < count % 4) {
        size_t i = size_t(vectors) * 4 + threadIdx.x;
        reinterpret_cast<unsigned *>(out)[i] =
            reinterpret_cast<const unsigned *>(in)[i];
    }
}
// ANCHOR_END: copy_vectors

// ANCHOR: transpose_naive
// The definition. `in` has `height` rows of `width` elements, `out` has `width` rows of
// `height`.
// Wrong about it: the lanes of a store are a row of `out` apart, 32 sectors for 128
// bytes.
// Right about it: it needs nothing but registers.
extern "C" __global__ void transpose_naive(unsigned *out, const unsigned *in,
                                           unsigned width, unsigned height)
{
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            out[size_t(x) * height + y + j] = in[size_t(y + j) * width + x];
}
// ANCHOR_END: transpose_naive

// ANCHOR: transpose_shared
// A tile is read by rows and written by rows; in between, shared memory is read by
// columns.
// Wrong about it, without PADDING: a column of the tile lies in one bank, 32 wavefronts
// for a request.
// Right about it, with one word of PADDING per row: neighbours in a column are a bank
// apart.
template <unsigned PADDING>
__device__ __forceinline__ void transpose(unsigned *out, const unsigned *in,
                                          unsigned width, unsigned height)
{
    __shared__ unsigned tile[32][32 + PADDING];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[size_t(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[size_t(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_shared(unsigned *out, const unsigned *in,
                                            unsigned width, unsigned height)
{
    transpose<0>(out, in, width, height);
}
// ANCHOR_END: transpose_shared

// ANCHOR: transpose_padded
extern "C" __global__ void transpose_padded(unsigned *out, const unsigned *in,
                                            unsigned width, unsigned height)
{
    transpose<1>(out, in, width, height);
}
// ANCHOR_END: transpose_padded

// ANCHOR: transpose_vectors
// A tile of 64 x 64. A vector of four neighbours goes into row y at slot (x / 4) ^
// (y / 4 % 8); four lanes with neighbouring x and eight with y four apart then read 32
// words from 32 banks, and store four whole lines.
// Wrong about it: it takes only widths and heights that are multiples of 4.
// Right about it: a quarter of the accesses to memory, no bank conflict, and not a byte
// of padding.
extern "C" __global__ void transpose_vectors(uint4 *out, const uint4 *in,
                                             unsigned width, unsigned height)
{
    constexpr unsigned EDGE = 64, SLOTS = EDGE / 4;
    __shared__ uint4 tile[EDGE * SLOTS];
    unsigned t = threadIdx.x, left = blockIdx.x * EDGE, top = blockIdx.y * EDGE;

    for (unsigned k = 0; k < 4; k++) {
        unsigned slot = t % SLOTS, y = t / SLOTS + k * SLOTS;
        unsigned x = left + 4 * slot;
        if (x < width && top + y < height)
            tile[y * SLOTS + (slot ^ (y / 4 % 8))] =
                in[(size_t(top + y) * width + x) / 4];
    }
    __syncthreads();
    const unsigned *words = reinterpret_cast<const unsigned *>(tile);
    for (unsigned k = 0; k < 4; k++) {
        // Lanes 0 to 3 have neighbouring columns, and eight groups of four lanes have
        // quadruples of rows.
        unsigned quad = t / 4 % 8 + 8 * (k % 2), x = t % 4 + 4 * (t / 32 + 8 * (k / 2));
        unsigned y = top + 4 * quad;
        if (left + x >= width || y >= height) continue;
        const unsigned *column =
            words + 4 * quad * EDGE + 4 * (x / 4 ^ quad % 8) + x % 4;
        uint4 value =
            make_uint4(column[0], column[EDGE], column[2 * EDGE], column[3 * EDGE]);
        out[(size_t(left + x) * height + y) / 4] = value;
    }
}
// ANCHOR_END: transpose_vectors

// ANCHOR: evict
// Reads an array, so that it takes the place of everything that was in the caches, and
// leaves nothing there that would have to be written back later. The comparison keeps
// the loads alive: no element has that value.
extern "C" __global__ void evict(uint4 *in, unsigned long long vectors)
{
    unsigned seen = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < vectors;
         i += size_t(gridDim.x) * blockDim.x) {
        uint4 value = in[i];
        seen |= value.x | value.y | value.z | value.w;
    }
    if (seen == 0x5eed5eed) in[0].x = 0;
}
// ANCHOR_END: evict
