// Summed-area tables: every element of the table is the sum of all pixels above and to
// the left of it, itself included.
// warpbook: arch=compute_80
//
// The versions follow chapter 39 of GPU Gems 3 (Harris, Sengupta, Owens, 2007),
// "Bandwidth Efficient Summed Area Table Generation for CUDA" (Ha and others, 2012) and
// "GPU-Efficient Recursive Filtering and Summed-Area Tables" (Nehab and others, 2011),
// in our own code, and end with one pass over the image.
//
//    1  sat_serial             one thread
//    2  sat_lines              a thread per row, then a thread per column
//    3  sat_columns            a warp per row, then a thread per column
//    4  sat_transpose_plain    rows, transpose, rows again; the transpose has bank
//                              conflicts
//    5  sat_transpose          the same without them
//    6  sat_transpose_rgb      the same for the three colours of an image
//    7  sat_tiles_plain        borders of tiles first, then tiles; columns are scanned
//                              with bank conflicts
//    8  sat_tiles_in_step      without them, and without synchronising within warps, as
//                              printed
//    9  sat_tiles              without them, and synchronised
//   10  sat_tiles_spread       the borders by many thread blocks
//   11  sat_strips             rows by warps, columns by strips of 32: shuffles instead
//                              of shared memory
//   12  sat_look_back          one pass: tiles look back to the left and up
//   13  sat_look_back_u8       the same for bytes
//   14  sat_box_filter         what the table is for: means over squares
//   15  sat_depth_of_field     means over squares whose size differs from pixel to
//                              pixel
//
// Parameters: `table` and `image` have `height` rows of `width` elements. The last row
// and column are sums over everything; floats are exact as long as sums stay
// below 2^24. Each kernel says how it is launched.
//
// The CPU reference is `kernels/src/problem/summed_area_table.rs`.

__device__ __forceinline__ unsigned lane_index() { return threadIdx.x % 32; }

// ANCHOR: sat_serial
// The definition: the sum of the row so far, and what is above.
// Wrong about it: one thread works.
// Right about it: every pixel is read once.
// Launch: one thread.
extern "C" __global__ void sat_serial(float *table, const float *image, unsigned width,
                                      unsigned height)
{
    for (unsigned y = 0; y < height; y++) {
        float row = 0.0f;
        for (unsigned x = 0; x < width; x++) {
            size_t i = size_t(y) * width + x;
            row += image[i];
            table[i] = y ? row + table[i - width] : row;
        }
    }
}
// ANCHOR_END: sat_serial

// ANCHOR: sat_lines
// A thread per row: the sums along it.
// Wrong about it: at any time the lanes of a warp are at 32 different rows, a sector
// for each of them.
// Right about it: no thread waits for another.
// Launch: a thread per row.
extern "C" __global__ void sat_rows_by_thread(float *table, const float *image,
                                              unsigned width, unsigned height)
{
    unsigned y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= height) return;
    float sum = 0.0f;
    for (unsigned x = 0; x < width; x++) {
        sum += image[size_t(y) * width + x];
        table[size_t(y) * width + x] = sum;
    }
}

// A thread per column: the sums down the columns of what the rows have left.
// Wrong about it: as many threads as the image is wide are few for a GPU.
// Right about it: neighbouring lanes are at neighbouring pixels.
// Launch: a thread per column.
extern "C" __global__ void sat_columns_by_thread(float *table, unsigned width,
                                                 unsigned height)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= width) return;
    float sum = 0.0f;
    for (unsigned y = 0; y < height; y++) {
        sum += table[size_t(y) * width + x];
        table[size_t(y) * width + x] = sum;
    }
}
// ANCHOR_END: sat_lines

// ANCHOR: sat_rows_by_warp
// The sum over this lane and those before it.
__device__ __forceinline__ float sum_below(float value)
{
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        float left = __shfl_up_sync(~0u, value, distance);
        if (lane_index() >= distance) value += left;
    }
    return value;
}

// A warp per row, 32 pixels at a time.
// Wrong about it: a row's end waits for its beginning, 32 pixels after 32.
// Right about it: a request is four sectors, all of them used.
// Launch: a warp per row, in blocks of any multiple of 32 threads.
extern "C" __global__ void sat_rows_by_warp(float *table, const float *image,
                                            unsigned width, unsigned height)
{
    unsigned y = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = lane_index();
    if (y >= height) return;
    float before = 0.0f;
    for (unsigned first = 0; first < width; first += 32) {
        unsigned x = first + lane;
        float sum = before + sum_below(x < width ? image[size_t(y) * width + x] : 0.0f);
        if (x < width) table[size_t(y) * width + x] = sum;
        before = __shfl_sync(~0u, sum, 31);
    }
}
// ANCHOR_END: sat_rows_by_warp

// ANCHOR: sat_rows_by_block
// A thread block per row, as the chapter has it: 64 pixels at a time, scanned by the
// whole block.
// Wrong about it: two barriers per 64 pixels.
// Right about it: it reads and writes in order, and a row is as parallel as a block is
// large.
// Launch: a block of 64 threads per row.
extern "C" __global__ void sat_rows_by_block(float *table, const float *image,
                                             unsigned width)
{
    constexpr unsigned WARPS = 2;
    __shared__ float of_warp[WARPS];
    unsigned t = threadIdx.x, lane = lane_index(), warp = t / 32;
    size_t row = size_t(blockIdx.x) * width;
    float before = 0.0f;

    for (unsigned first = 0; first < width; first += blockDim.x) {
        unsigned x = first + t;
        float sum = sum_below(x < width ? image[row + x] : 0.0f);
        if (lane == 31) of_warp[warp] = sum;
        __syncthreads();
        float warps = before;
        for (unsigned w = 0; w < WARPS; w++) {
            if (w == warp) warps = before;
            before += of_warp[w];
        }
        if (x < width) table[row + x] = warps + sum;
        __syncthreads();
    }
}
// ANCHOR_END: sat_rows_by_block

// ANCHOR: transpose
// Rows become columns: a tile is read by rows and written by columns, through shared
// memory.
// Wrong about it, without PADDING: a column of the tile lies in one bank, 32 wavefronts
// for a request.
// Right about it, with one word of PADDING per row: neighbours in a column are a bank
// apart.
// Launch: blocks of 32 x 8 threads, one per tile of 32 x 32 pixels and, in z, per image
// of several.
template <unsigned PADDING>
__device__ __forceinline__ void transpose(float *out, const float *in, unsigned width,
                                          unsigned height)
{
    __shared__ float tile[32][32 + PADDING];
    size_t plane = size_t(blockIdx.z) * width * height;
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < width && y + j < height)
            tile[threadIdx.y + j][threadIdx.x] = in[plane + size_t(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned j = 0; j < 32; j += 8)
        if (x < height && y + j < width)
            out[plane + size_t(y + j) * height + x] =
                tile[threadIdx.x][threadIdx.y + j];
}

extern "C" __global__ void transpose_plain(float *out, const float *in, unsigned width,
                                           unsigned height)
{
    transpose<0>(out, in, width, height);
}

extern "C" __global__ void transpose_padded(float *out, const float *in, unsigned width,
                                            unsigned height)
{
    transpose<1>(out, in, width, height);
}
// ANCHOR_END: transpose

// ANCHOR: rgb
// The chapter's images have three bytes per pixel; its scans want floats, one colour
// after another.
// Wrong about it: three more arrays are written and read.
// Right about it: the same scans serve all of them.
// Launch: a thread per pixel.
extern "C" __global__ void sat_split_rgb(float *planes, const unsigned char *image,
                                         unsigned pixels)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    for (unsigned colour = 0; colour < 3; colour++)
        planes[size_t(colour) * pixels + i] = image[3 * size_t(i) + colour];
}

// The three tables side by side, as an image of four floats per pixel whose last is 0.
extern "C" __global__ void sat_join_rgb(float4 *table, const float *planes,
                                        unsigned pixels)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= pixels) return;
    table[i] = make_float4(planes[i], planes[size_t(pixels) + i],
                           planes[2 * size_t(pixels) + i], 0.0f);
}
// ANCHOR_END: rgb

// ANCHOR: patch
// A patch of 32 x 32 pixels in shared memory, with zeros to its left and above it: a
// lane whose neighbour is outside adds a zero instead of asking whether it may. A row
// is 16 + 32 words long, and with PADDING one more.
constexpr unsigned SPILL = 16;

template <unsigned PADDING, bool IN_STEP>
struct Patch {
    static constexpr unsigned STRIDE = SPILL + 32 + PADDING;
    float words[(SPILL + 32) * STRIDE];

    __device__ __forceinline__ float *at(unsigned x, unsigned y)
    {
        return words + (y + SPILL) * STRIDE + x + SPILL;
    }

    __device__ __forceinline__ void clear()
    {
        for (unsigned i = threadIdx.y * 32 + threadIdx.x; i < (SPILL + 32) * STRIDE;
             i += 1024)
            words[i] = 0.0f;
    }

    // Kogge and Stone's scan by a warp, of 32 words that are `step` words apart. Every
    // lane adds its neighbour at distance 1, 2, 4, 8, 16. IN_STEP trusts that lanes run
    // in lock step, as the article does; since Volta they need not.
    static __device__ __forceinline__ float scan(float *own, unsigned step)
    {
        float sum = *own;
#pragma unroll
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            sum += own[-static_cast<int>(distance * step)];
            if (!IN_STEP) __syncwarp();
            *own = sum;
            if (!IN_STEP) __syncwarp();
        }
        return sum;
    }
};
// ANCHOR_END: patch

// ANCHOR: sat_tiles
// First of three kernels: the sums of every row and of every column of every tile.
// Wrong about it: the image is read here and once more in the third.
// Right about it: what is written is 2 / b of the image, for tiles of b x b pixels.
// `rows` has, for every row of tiles and every tile in it, b sums; `columns` likewise.
// b is 32 * patches, at most 128.
// Launch: blocks of 32 x 32 threads, one per tile.
template <unsigned PADDING, bool IN_STEP>
__device__ __forceinline__ void tile_sums(float *rows, float *columns,
                                          const float *image, unsigned width,
                                          unsigned height, unsigned patches)
{
    __shared__ Patch<PADDING, IN_STEP> patch;
    unsigned x = threadIdx.x, y = threadIdx.y, b = 32 * patches;
    size_t border = (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * b;
    __shared__ float down[128];

    patch.clear();
    if (x == 31)
        for (unsigned px = 0; px < patches; px++) down[px * 32 + y] = 0.0f;
    __syncthreads();
    for (unsigned py = 0; py < patches; py++) {
        float along = 0.0f;
        for (unsigned px = 0; px < patches; px++) {
            unsigned at_x = blockIdx.x * b + px * 32 + x,
                     at_y = blockIdx.y * b + py * 32 + y;
            float pixel = at_x < width && at_y < height
                              ? image[size_t(at_y) * width + at_x]
                              : 0.0f;
            *patch.at(x, y) = pixel;
            __syncwarp();
            along += Patch<PADDING, IN_STEP>::scan(patch.at(x, y), 1);
            *patch.at(x, y) = pixel;
            __syncthreads();
            float column = Patch<PADDING, IN_STEP>::scan(
                patch.at(y, x), Patch<PADDING, IN_STEP>::STRIDE);
            if (x == 31) down[px * 32 + y] += column;
            __syncthreads();
        }
        if (x == 31) rows[border + py * 32 + y] = along;
    }
    for (unsigned px = 0; px < patches; px++)
        if (x == 31) columns[border + px * 32 + y] = down[px * 32 + y];
}

// Third of three kernels: every tile is scanned along its rows and then down its
// columns, with what is to the left of every row and above every column added at the
// edge.
// Launch: as the first.
template <unsigned PADDING, bool IN_STEP>
__device__ __forceinline__ void
tile_scan(float *table, const float *image, const float *rows, const float *columns,
          unsigned width, unsigned height, unsigned patches)
{
    __shared__ Patch<PADDING, IN_STEP> patch;
    __shared__ float above[128];
    unsigned x = threadIdx.x, y = threadIdx.y, b = 32 * patches;
    size_t border = (size_t(blockIdx.y) * gridDim.x + blockIdx.x) * b;

    patch.clear();
    if (y < patches) {  // the table's row above the tile; the first sum holds all that
                        // is above and to the left
        float sum = 0.0f;
        for (unsigned p = 0; p < y; p++) sum += columns[border + p * 32 + x];
        for (unsigned distance = 16; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(~0u, sum, distance);
        above[y * 32 + x] = sum + sum_below(columns[border + y * 32 + x]);
    }
    __syncthreads();
    for (unsigned py = 0; py < patches; py++) {
        float left = rows[border + py * 32 + y];
        for (unsigned px = 0; px < patches; px++) {
            unsigned at_x = blockIdx.x * b + px * 32 + x,
                     at_y = blockIdx.y * b + py * 32 + y;
            float pixel = at_x < width && at_y < height
                              ? image[size_t(at_y) * width + at_x]
                              : 0.0f;
            *patch.at(x, y) = x ? pixel : left + pixel;
            __syncwarp();
            float along = Patch<PADDING, IN_STEP>::scan(patch.at(x, y), 1);
            left = __shfl_sync(~0u, along, 31);
            if (y == 0) *patch.at(x, 0) = along + above[px * 32 + x];
            __syncthreads();
            float sum = Patch<PADDING, IN_STEP>::scan(patch.at(y, x),
                                                      Patch<PADDING, IN_STEP>::STRIDE);
            if (x == 31) above[px * 32 + y] = sum;
            __syncthreads();
            if (at_x < width && at_y < height)
                table[size_t(at_y) * width + at_x] = *patch.at(x, y);
        }
    }
}

#define TILE_KERNELS(NAME, PADDING, IN_STEP)                                           \
    extern "C" __global__ void NAME##_sums(float *rows, float *columns,                \
                                           const float *image, unsigned width,         \
                                           unsigned height, unsigned patches)          \
    {                                                                                  \
        tile_sums<PADDING, IN_STEP>(rows, columns, image, width, height, patches);     \
    }                                                                                  \
    extern "C" __global__ void NAME##_scan(                                            \
        float *table, const float *image, const float *rows, const float *columns,     \
        unsigned width, unsigned height, unsigned patches)                             \
    {                                                                                  \
        tile_scan<PADDING, IN_STEP>(table, image, rows, columns, width, height,        \
                                    patches);                                          \
    }

TILE_KERNELS(sat_tiles_plain, 0, false)
TILE_KERNELS(sat_tiles_in_step, 1, true)
TILE_KERNELS(sat_tiles, 1, false)
// ANCHOR_END: sat_tiles

// ANCHOR: sat_tile_borders
// Second of three kernels: what is to the left of every row of every tile, and above
// every column. The sum of all that is above and to the left of a tile, its pivot, is
// added to the tile's first column.
// Wrong about it: one thread block, while the rest of the GPU waits.
// Right about it: three kernels are all it takes, with 3 + 8 / b accesses per pixel
// where transposing takes 6.
// Launch: one block of 1024 threads. At most 1024 rows of tiles.
extern "C" __global__ void sat_tile_borders(float *rows, float *columns,
                                            unsigned tiles_x, unsigned tiles_y,
                                            unsigned b)
{
    __shared__ float pivot_of_row[1024];
    __shared__ float of_warp[32];
    unsigned t = threadIdx.x, lane = lane_index(), warp = t / 32;

    for (unsigned line = t; line < tiles_y * b; line += blockDim.x) {
        float sum = 0.0f;
        for (unsigned tile = 0; tile < tiles_x; tile++) {
            float *at = rows + (size_t(line / b) * tiles_x + tile) * b + line % b,
                  own = *at;
            *at = sum;
            sum += own;
        }
    }
    pivot_of_row[t] = 0.0f;
    for (unsigned first = 0; first < tiles_x * b; first += blockDim.x) {
        unsigned x = first + t;
        float sum = 0.0f;
        for (unsigned tile = 0; tile < tiles_y; tile++) {
            float *at = columns + size_t(tile) * tiles_x * b + x,
                  own = x < tiles_x * b ? *at : 0.0f;
            float below = sum_below(sum);
            if (lane == 31) of_warp[warp] = below;
            __syncthreads();
            float pivot = pivot_of_row[tile];
            for (unsigned w = 0; w < warp; w++) pivot += of_warp[w];
            if (x < tiles_x * b) *at = x % b ? sum : sum + pivot;
            sum += own;
            __syncthreads();
            if (t == blockDim.x - 1) pivot_of_row[tile] = pivot + below;
        }
    }
}
// ANCHOR_END: sat_tile_borders

// ANCHOR: sat_tiles_spread
// The same borders, found by many thread blocks: rows and columns are independent of
// each other.
// Wrong about it: five launches.
// Right about it: no part of it is left to a single block.
// Launch: a thread per row; a thread per column; a block of 32 threads per row of
// tiles.
extern "C" __global__ void sat_borders_of_rows(float *rows, unsigned tiles_x,
                                               unsigned tiles_y, unsigned b)
{
    unsigned line = blockIdx.x * blockDim.x + threadIdx.x;
    if (line >= tiles_y * b) return;
    float sum = 0.0f;
    for (unsigned tile = 0; tile < tiles_x; tile++) {
        float *at = rows + (size_t(line / b) * tiles_x + tile) * b + line % b,
              own = *at;
        *at = sum;
        sum += own;
    }
}

extern "C" __global__ void sat_borders_of_columns(float *columns, unsigned tiles_x,
                                                  unsigned tiles_y, unsigned b)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    if (x >= tiles_x * b) return;
    float sum = 0.0f;
    for (unsigned tile = 0; tile < tiles_y; tile++) {
        float *at = columns + size_t(tile) * tiles_x * b + x, own = *at;
        *at = sum;
        sum += own;
    }
}

extern "C" __global__ void sat_pivots(float *columns, unsigned tiles_x, unsigned b)
{
    float *row = columns + size_t(blockIdx.x) * tiles_x * b, pivot = 0.0f;
    unsigned lane = lane_index();
    for (unsigned tile = 0; tile < tiles_x; tile++) {
        float sum = 0.0f, first = row[size_t(tile) * b];
        for (unsigned x = lane; x < b; x += 32) sum += row[size_t(tile) * b + x];
        for (unsigned distance = 16; distance > 0; distance /= 2)
            sum += __shfl_xor_sync(~0u, sum, distance);
        __syncwarp();
        if (lane == 0) row[size_t(tile) * b] = first + pivot;
        pivot += sum;
    }
}
// ANCHOR_END: sat_tiles_spread

// ANCHOR: sat_strips
// Down the columns with registers: a block takes a strip of 32 columns, its warps eight
// rows each, 64 rows at a time.
// Wrong about it: the table is written twice and read once more between.
// Right about it: eight loads in flight per lane, and shared memory holds only a sum
// per warp and column.
// Launch: blocks of 32 x 8 threads, one per 32 columns.
extern "C" __global__ void sat_columns_by_strip(float *table, unsigned width,
                                                unsigned height)
{
    constexpr unsigned ROWS = 8, WARPS = 8;
    __shared__ float of_warp[WARPS][32];
    unsigned lane = threadIdx.x, warp = threadIdx.y, x = blockIdx.x * 32 + lane;
    float above = 0.0f;

    for (unsigned first = 0; first < height; first += ROWS * WARPS) {
        unsigned y = first + warp * ROWS;
        float sum[ROWS];
        for (unsigned r = 0; r < ROWS; r++)
            sum[r] =
                x < width && y + r < height ? table[size_t(y + r) * width + x] : 0.0f;
        for (unsigned r = 1; r < ROWS; r++) sum[r] += sum[r - 1];
        of_warp[warp][lane] = sum[ROWS - 1];
        __syncthreads();
        float before = above;
        for (unsigned w = 0; w < WARPS; w++) {
            if (w == warp) before = above;
            above += of_warp[w][lane];
        }
        for (unsigned r = 0; r < ROWS; r++)
            if (x < width && y + r < height)
                table[size_t(y + r) * width + x] = before + sum[r];
        __syncthreads();
    }
}
// ANCHOR_END: sat_strips

// ANCHOR: words
// What a tile tells those behind it about a row or a column: the sum and, in the same
// word of 64 bits, whether it is the tile's own or that of everything up to here. Marks
// count up from launch to launch, so that the words of the launch before mean nothing
// and need not be cleared.
__device__ __forceinline__ unsigned mark_own(unsigned round) { return 2 * round; }
__device__ __forceinline__ unsigned mark_up_to_here(unsigned round)
{
    return 2 * round + 1;
}

template <typename Sum>
__device__ __forceinline__ void publish(unsigned long long *word, Sum sum,
                                        unsigned mark)
{
    unsigned bits;
    memcpy(&bits, &sum, 4);
    unsigned long long both = static_cast<unsigned long long>(mark) << 32 | bits;
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(word), "l"(both)
                 : "memory");
}

__device__ __forceinline__ unsigned long long look_at(const unsigned long long *word)
{
    unsigned long long both;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(both)
                 : "l"(word)
                 : "memory");
    return both;
}

// The sum of everything before tile `position`, for ITEMS rows (or columns) at a time:
// lane l looks after item l % ITEMS, and the lanes with the same item look at different
// tiles. `words` is the item's word of tile 0; those of the next tile are `stride`
// words on. Every lane gets its item's sum.
template <unsigned ITEMS, unsigned LOOKS, typename Sum>
__device__ __forceinline__ Sum look_back(const unsigned long long *words, size_t stride,
                                         unsigned position, unsigned round)
{
    constexpr unsigned GROUPS = 32 / ITEMS;
    unsigned group = lane_index() / ITEMS, item = lane_index() % ITEMS;
    unsigned same_item = 0;
    for (unsigned g = 0; g < GROUPS; g++) same_item |= 1u << g * ITEMS;
    Sum sum = 0;
    bool complete = false;
    for (int next = static_cast<int>(position) - 1;; next -= GROUPS * LOOKS) {
        unsigned long long seen[LOOKS];
        bool waiting;
        do {
            waiting = false;
            for (unsigned k = 0; k < LOOKS; k++) {
                int at = next - static_cast<int>(k * GROUPS + group);
                seen[k] = static_cast<unsigned long long>(mark_up_to_here(round))
                          << 32;  // outside there is nothing
                if (at >= 0) seen[k] = look_at(words + at * stride);
                waiting |= seen[k] >> 33 != round;
            }
        } while (__any_sync(~0u, waiting));
        for (unsigned k = 0; k < LOOKS; k++) {
            unsigned known = __ballot_sync(~0u, seen[k] >> 32 & 1) >> item & same_item;
            if (!complete && (known & (1u << group * ITEMS) - 1) == 0) {
                unsigned bits = static_cast<unsigned>(seen[k]);
                Sum part;
                memcpy(&part, &bits, 4);
                sum += part;
            }
            complete |= known != 0;
        }
        if (__all_sync(~0u, complete)) break;
    }
    for (unsigned distance = ITEMS; distance < 32; distance *= 2)
        sum += __shfl_xor_sync(~0u, sum, distance);
    return sum;
}
// ANCHOR_END: words

// ANCHOR: sat_look_back
// Four elements at once.
template <typename T>
struct alignas(4 * sizeof(T)) Four {
    T x, y, z, w;
};

// The pixels of a lane: four of each of eight rows. Rows of `width` pixels begin at
// multiples of four pixels if `width` is one; other rows are read pixel by pixel.
template <typename Pixel, typename Sum>
__device__ __forceinline__ void load_rows(Four<Sum> (&sums)[8], const Pixel *image,
                                          unsigned x, unsigned y, unsigned width,
                                          unsigned height)
{
#pragma unroll
    for (unsigned r = 0; r < 8; r++) {
        Four<Pixel> four = {};
        const Pixel *at = image + size_t(y + r) * width + x;
        if (y + r < height) {
            if (width % 4 == 0) {
                if (x < width) four = *reinterpret_cast<const Four<Pixel> *>(at);
            } else {
                if (x < width) four.x = at[0];
                if (x + 1 < width) four.y = at[1];
                if (x + 2 < width) four.z = at[2];
                if (x + 3 < width) four.w = at[3];
            }
        }
        sums[r] = {Sum(four.x), Sum(four.y), Sum(four.z), Sum(four.w)};
    }
}

// The place of the tile that comes `number`th when tiles are taken diagonal by
// diagonal, from the upper left corner to the lower right one: x in the lower half, y
// in the upper. What a tile needs is then a whole diagonal ahead of it, both to its
// left and above it.
__device__ __forceinline__ unsigned long long
on_diagonals(unsigned number, unsigned tiles_x, unsigned tiles_y)
{
    unsigned shorter = min(tiles_x, tiles_y), tiles = tiles_x * tiles_y;
    unsigned corner = shorter * (shorter - 1) /
                      2;  // tiles on the diagonals that are not full, at either end
    bool at_end = number >= tiles - corner;
    unsigned from_corner = at_end ? tiles - 1 - number : number;
    unsigned diagonal, along;
    if (from_corner < corner) {
        diagonal =
            static_cast<unsigned>((sqrtf(8.0f * from_corner + 1.0f) - 1.0f) / 2.0f);
        while (diagonal * (diagonal + 1) / 2 > from_corner) diagonal--;
        while ((diagonal + 1) * (diagonal + 2) / 2 <= from_corner) diagonal++;
        along = from_corner - diagonal * (diagonal + 1) / 2;
    } else {
        diagonal = shorter - 1 + (number - corner) / shorter;
        along = (number - corner) % shorter;
    }
    unsigned y = along + (diagonal < tiles_x ? 0 : diagonal - tiles_x + 1),
             x = diagonal - y;
    if (from_corner < corner && at_end) {
        x = tiles_x - 1 - x;
        y = tiles_y - 1 - y;
    }
    return static_cast<unsigned long long>(y) << 32 | x;
}

// Asks the L2 cache for the pixels of a tile that somebody will need soon: 128 bytes
// per thread and step.
template <unsigned ROWS, typename Pixel>
__device__ __forceinline__ void prefetch_rows(const Pixel *image, unsigned x,
                                              unsigned y, unsigned width,
                                              unsigned height)
{
    constexpr unsigned PER_LINE = 128 / sizeof(Pixel), LINES = 128 / PER_LINE;
    for (unsigned i = threadIdx.x; i < ROWS * LINES; i += blockDim.x) {
        unsigned at_x = x + i % LINES * PER_LINE, at_y = y + i / LINES;
        if (at_x < width && at_y < height)
            asm volatile(
                "prefetch.global.L2 [%0];" ::"l"(image + size_t(at_y) * width + at_x));
    }
}

template <typename Sum>
__device__ __forceinline__ void add_to_all(Four<Sum> &four, Sum sum)
{
    four.x += sum;
    four.y += sum;
    four.z += sum;
    four.w += sum;
}

template <typename Sum>
__device__ __forceinline__ void add(Four<Sum> &four, const Four<Sum> &other)
{
    four.x += other.x;
    four.y += other.y;
    four.z += other.z;
    four.w += other.w;
}

template <typename Sum>
__device__ __forceinline__ Sum sum_below_of(Sum value)
{
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        Sum left = __shfl_up_sync(~0u, value, distance);
        if (lane_index() >= distance) value += left;
    }
    return value;
}

// One pass: a tile of 128 pixels by 8 rows per warp stays in registers, from the pixels
// to the table.
// Wrong about it: a tile waits for what the tiles to its left and above it have to say.
// Right about it: every pixel is read once and every sum written once; tiles tell each
// other one word per row and column, so what they exchange is a few hundredths of the
// image.
//
// A warp scans its rows, looks back to the left for what comes before them, and adds
// them up. The block adds up its warps, column by column, and looks back upwards for
// the table's row above it; that look needs no corners, because rows are complete by
// then.
// `work` holds a ticket in its first word, then a word per row and tile and a word per
// column and tile (rows and columns rounded up to whole tiles). It is all zero before
// the first launch. `round` is 1 in the first launch, 2 in the next, and so on.
// Launch: a block of 32 * WARPS threads per tile.
template <unsigned WARPS, typename Pixel, typename Sum>
__device__ __forceinline__ void sat_tile(Sum *table, const Pixel *image, unsigned width,
                                         unsigned height, unsigned long long *work,
                                         unsigned round)
{
    constexpr unsigned AHEAD = 132;  // a tile for each multiprocessor of an H200
    constexpr unsigned long long NOWHERE = ~0ull;
    constexpr unsigned ROWS = 8 * WARPS, COLUMNS = 128 / WARPS, GROUPS = 32 / COLUMNS;
    __shared__ unsigned long long place, place_ahead;
    __shared__ Four<Sum> of_warp[WARPS][32];
    __shared__ Four<Sum> above[32];
    unsigned lane = lane_index(), warp = threadIdx.x / 32;
    unsigned tiles_x = (width + 127) / 128, tiles_y = (height + ROWS - 1) / ROWS;

    if (threadIdx.x == 0) {
        unsigned ticket = atomicAdd(reinterpret_cast<unsigned *>(work), 1u) -
                          (round - 1) * tiles_x * tiles_y;
        place = on_diagonals(ticket, tiles_x, tiles_y);
        bool more = ticket + AHEAD < tiles_x * tiles_y;
        place_ahead = more ? on_diagonals(ticket + AHEAD, tiles_x, tiles_y) : NOWHERE;
    }
    __syncthreads();
    unsigned tile_x = static_cast<unsigned>(place),
             tile_y = static_cast<unsigned>(place >> 32);
    unsigned x = tile_x * 128 + 4 * lane, y = tile_y * ROWS + 8 * warp;
    unsigned long long *row_words = work + 1,
                       *column_words = row_words + size_t(tiles_x) * tiles_y * ROWS;

    Four<Sum> sums[8];
    load_rows(sums, image, x, y, width, height);
    if (place_ahead != NOWHERE)
        prefetch_rows<ROWS>(image, static_cast<unsigned>(place_ahead) * 128,
                            static_cast<unsigned>(place_ahead >> 32) * ROWS, width,
                            height);

    // Along the rows: within the lane, then across lanes.
    Sum total = 0;
#pragma unroll
    for (unsigned r = 0; r < 8; r++) {
        sums[r].y += sums[r].x;
        sums[r].z += sums[r].y;
        sums[r].w += sums[r].z;
        Sum up_to_here = sum_below_of(sums[r].w);
        Sum before = __shfl_up_sync(~0u, up_to_here, 1);
        if (lane > 0) add_to_all(sums[r], before);
        Sum row = __shfl_sync(~0u, up_to_here, 31);
        if (lane % 8 == r) total = row;
    }
    size_t row_stride = size_t(tiles_y) * ROWS;
    unsigned long long *row_word = row_words + y + lane % 8;
    Sum left = 0;
    if (tile_x > 0) {
        if (lane < 8) publish(row_word + tile_x * row_stride, total, mark_own(round));
        left = look_back<8, 2, Sum>(row_word, row_stride, tile_x, round);
    }
    if (lane < 8)
        publish(row_word + tile_x * row_stride, left + total, mark_up_to_here(round));

    // Down the columns: within the lane, then across warps.
#pragma unroll
    for (unsigned r = 0; r < 8; r++) {
        add_to_all(sums[r], __shfl_sync(~0u, left, r));
        if (r) add(sums[r], sums[r - 1]);
    }
    of_warp[warp][lane] = sums[7];
    __syncthreads();
    Four<Sum> base = {};
    for (unsigned w = 0; w < warp; w++) add(base, of_warp[w][lane]);
    unsigned column = warp * COLUMNS + lane % COLUMNS;
    Sum of_tile = 0;
    for (unsigned w = lane / COLUMNS; w < WARPS; w += GROUPS)
        of_tile += (&of_warp[w][0].x)[column];
    for (unsigned distance = COLUMNS; distance < 32; distance *= 2)
        of_tile += __shfl_xor_sync(~0u, of_tile, distance);

    size_t column_stride = size_t(tiles_x) * 128;
    unsigned long long *column_word = column_words + tile_x * 128 + column;
    Sum up = 0;
    if (tile_y > 0) {
        if (lane < COLUMNS)
            publish(column_word + tile_y * column_stride, of_tile, mark_own(round));
        up = look_back<COLUMNS, 2, Sum>(column_word, column_stride, tile_y, round);
    }
    if (lane < COLUMNS) {
        publish(column_word + tile_y * column_stride, up + of_tile,
                mark_up_to_here(round));
        (&above[0].x)[column] = up;
    }
    __syncthreads();
    add(base, above[lane]);

#pragma unroll
    for (unsigned r = 0; r < 8; r++) {
        add(sums[r], base);
        Sum *at = table + size_t(y + r) * width + x;
        if (y + r < height) {
            if (width % 4 == 0) {
                if (x < width) *reinterpret_cast<Four<Sum> *>(at) = sums[r];
            } else {
                if (x < width) at[0] = sums[r].x;
                if (x + 1 < width) at[1] = sums[r].y;
                if (x + 2 < width) at[2] = sums[r].z;
                if (x + 3 < width) at[3] = sums[r].w;
            }
        }
    }
}

extern "C" __global__ void __launch_bounds__(512, 2)
    sat_look_back(float *table, const float *image, unsigned width, unsigned height,
                  unsigned long long *work, unsigned round)
{
    sat_tile<16>(table, image, width, height, work, round);
}

// A byte per pixel, four bytes per sum: five bytes are moved where floats need eight.
// Wrong about it: a sum beyond 2^32 wraps, in an image of more than 4104 x 4104 white
// pixels.
// Right about it: differences of wrapped sums are still right, as long as the
// rectangle's own sum fits.
extern "C" __global__ void __launch_bounds__(512, 2)
    sat_look_back_u8(unsigned *table, const unsigned char *image, unsigned width,
                     unsigned height, unsigned long long *work, unsigned round)
{
    sat_tile<16>(table, image, width, height, work, round);
}
// ANCHOR_END: sat_look_back

// ANCHOR: sat_box_filter
// The mean of the pixels of a rectangle, from four corners of the table, however large
// the rectangle is.
__device__ __forceinline__ float mean(const float *table, unsigned width,
                                      unsigned height, int x, int y, int radius)
{
    int right = min(x + radius, static_cast<int>(width) - 1),
        left = max(x - radius, 0) - 1;
    int bottom = min(y + radius, static_cast<int>(height) - 1),
        top = max(y - radius, 0) - 1;
    auto at = [&](int i, int j) {
        return i < 0 || j < 0 ? 0.0f : table[size_t(j) * width + i];
    };
    float sum = at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
    return sum / static_cast<float>((right - left) * (bottom - top));
}

// A box filter: the mean over the square around each pixel. Squares that reach beyond
// the image's edge are cut there.
// Wrong about it: differences of large sums have lost what the sums have rounded away.
// Right about it: a radius of 100 costs what a radius of 1 costs.
// Launch: a thread per pixel, in two dimensions.
extern "C" __global__ void sat_box_filter(float *out, const float *table,
                                          unsigned width, unsigned height, int radius)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
             y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[size_t(y) * width + x] = mean(table, width, height, x, y, radius);
}

// Depth of field: the further a pixel is from the distance in focus, the larger the
// square. `depth` has a byte per pixel; a pixel's radius is the difference of its depth
// from `focus`, divided by 2^shift.
// Wrong about it: what is in focus bleeds into its blurred surroundings, because depths
// are not asked about neighbours.
// Right about it: every pixel has a filter of its own, at the same cost.
// Launch: a thread per pixel, in two dimensions.
extern "C" __global__ void sat_depth_of_field(float *out, const float *table,
                                              const unsigned char *depth,
                                              unsigned width, unsigned height,
                                              int focus, int shift)
{
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x,
             y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    size_t i = size_t(y) * width + x;
    out[i] = mean(table, width, height, x, y, abs(depth[i] - focus) >> shift);
}
// ANCHOR_END: sat_box_filter
