// Exclusive scan of a whole array of any length: every element becomes the sum of the
// elements before it.
// warpbook: arch=compute_90
//
// The first kernels follow chapter 39 of GPU Gems 3 (Harris, Sengupta, Owens, 2007),
// the single passes what has been learned since (Merrill and Garland, "Single-pass
// parallel prefix scan with decoupled look-back", 2016), all in our own code. `scan.cu`
// scans single tiles; here the tiles of an array must learn of each other. What each
// changes:
//
//    1  prefix_serial             one thread, one loop: what the others must equal
//    2  prefix_in_place           the naive scan of a tile, in place, and then as in 5:
//                                 wrong
//    3  prefix_printed            with two buffers, as printed: wrong
//    4  prefix_hybrid             one launch per level: reduce, scan the small rest
//                                 naively, come down again
//    5  prefix_three_kernels      tiles are scanned, their sums are scanned, the sums
//                                 are added: 16 bytes per element
//    6  prefix_float4_f32         the same with eight elements per thread in two
//                                 float4, and the tree unrolled
//    7  prefix_reduce_scan        tiles are summed first and scanned once their offset
//                                 is known: 12 bytes per element
//    8  prefix_shuffle            the block scans through shuffles: two barriers
//                                 instead of nineteen
//    9  prefix_blocked            24 elements in a row per thread, through shared
//                                 memory: bank conflicts
//   10  prefix_odd                23 elements in a row per thread: none
//   11  prefix_chained_unfenced   one launch, each tile waits for the one before;
//                                 nothing orders sum and flag: wrong
//   12  prefix_chained_by_block   fenced, but tiles are numbered by blockIdx: it can
//                                 wait for a block that never starts
//   13  prefix_chained            tiles are numbered by a ticket
//   14  prefix_lookback_thread    a thread looks back over sums of tiles until it finds
//                                 one that knows everything
//   15  prefix_lookback_warp      a warp looks back, 32 tiles at a time
//   16  prefix_bulk               Hopper's: warps with one task each, and tiles that
//                                 the TMA brings
//   17  prefix_pipelined          resident blocks with three tiles in flight, and no
//                                 chain of blocks that wait
//
// 2 to 10 are several launches. Versions 5, 15, 16 and 17 exist for floats, too
// (`…_f32`). Ints wrap, so the kernels add them as unsigned ints, and every order of
// additions gives the same. Floats round, and it does not.
//
// Launch: blocks of 256 threads (672 for 16, 512 for 17); ceil(count / tile) of them, a
// tile being 256 elements for 2, 3 and 8, 512 for 5 and 7, 2048 for 6, 6144 and 5888
// for 9 and 10, 4096 for 11 to 15; for 16 and 17, whose tiles have 8192, at most as
// many blocks as the GPU holds, with 192 and 64 KiB of dynamic shared memory. `state`
// of the single passes must be zero before: a ticket, and after it, at 16 bytes, a
// descriptor of 8 bytes per tile (11 to 13: a sum per tile, then a flag per tile).
// `in` and `out` begin at multiples of 16 bytes, as every allocation does.
//
// The CPU reference is `kernels/src/problem/array_scan.rs`.

// ANCHOR: prefix_serial
// One thread walks through the array and carries the sum along.
// Wrong about it: 2047 of an SM's 2048 threads, and 131 of 132 SMs, have nothing to do.
// Right about it: n - 1 additions, and no scan can do with fewer.
extern "C" __global__ void prefix_serial(unsigned *out, const unsigned *in,
                                         unsigned count)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned x = in[i];
        out[i] = sum;
        sum += x;
    }
}
// ANCHOR_END: prefix_serial

// ANCHOR: prefix_in_place
// The naive scan as the chapter's algorithm 1 has it: every element adds its neighbour
// to the left, in place.
// Wrong about it: a thread overwrites what a thread to its right has yet to read. It
// was right while a tile was a warp and a warp ran in lock step; a barrier between
// reading and writing, or a second buffer, makes it right for all.
extern "C" __global__ void prefix_in_place(unsigned *out, unsigned *sums,
                                           const unsigned *in, unsigned count)
{
    __shared__ unsigned temp[256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t, x = i < count ? in[i] : 0;

    temp[t] = x;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        if (t >= offset) temp[t] += temp[t - offset];
        __syncthreads();
    }
    if (i < count) out[i] = temp[t] - x;
    if (t == 255) sums[blockIdx.x] = temp[t];
}
// ANCHOR_END: prefix_in_place

// ANCHOR: prefix_printed
// Listing 39-1, which has the second buffer: its `+=` adds to what is in the buffer
// that it should fill.
// Wrong about it: in the first round nothing was written there, in later ones it is
// what was there two rounds before. `scan_naive` has the line as it was meant: `=`, and
// both terms from the other buffer.
extern "C" __global__ void prefix_printed(unsigned *out, unsigned *sums,
                                          const unsigned *in, unsigned count)
{
    __shared__ unsigned temp[2 * 256];
    unsigned t = threadIdx.x, i = blockIdx.x * 256 + t, to = 0, from = 1;

    temp[t] = t > 0 && i <= count ? in[i - 1] : 0;
    __syncthreads();
    for (unsigned offset = 1; offset < 256; offset *= 2) {
        to = 1 - to;
        from = 1 - to;
        if (t >= offset)
            temp[to * 256 + t] += temp[from * 256 + t - offset];
        else
            temp[to * 256 + t] = temp[from * 256 + t];
        __syncthreads();
    }
    if (i < count) out[i] = temp[to * 256 + t];
    if (t == 255) sums[blockIdx.x] = temp[to * 256 + t] + (i < count ? in[i] : 0);
}
// ANCHOR_END: prefix_printed

// ANCHOR: hybrid
// The scan of the days of OpenGL: a pass may write what it reads only elsewhere, so
// each level of the tree is an array of its own and each pass is a launch. Reduce
// until 1024 are left (the chapter's algorithm 5), scan those by the naive algorithm
// (2), and come down (6). Here scans are inclusive, so that element k of a level is the
// sum up to its end.
// Wrong about it: 2 log2(n / 1024) + 11 launches that wait for each other; short ones
// cost hardly less than long ones.
// Right about it: only n / 2 + n / 4 + ... additions up and as many down, and no thread
// ever waits for another.
extern "C" __global__ void prefix_hybrid_up(unsigned *half, const unsigned *level,
                                            unsigned count)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * k + 1 < count)
        half[k] = level[2 * k] + level[2 * k + 1];
    else if (2 * k < count)
        half[k] = level[2 * k];  // the ragged end
}

// One round of the naive scan, of at most 1024 elements.
extern "C" __global__ void prefix_hybrid_round(unsigned *out, const unsigned *in,
                                               unsigned count, unsigned offset)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) out[k] = k >= offset ? in[k - offset] + in[k] : in[k];
}

// Odd elements end where their parent ends; even ones, but for the first, add
// themselves to what ends before them. (The printed branch for even k forgets to add,
// and its first level is 1 where it must be 0.)
extern "C" __global__ void prefix_hybrid_down(unsigned *sums, const unsigned *half,
                                              const unsigned *level, unsigned count)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count)
        sums[k] = k % 2 == 1 ? half[k / 2]
                  : k == 0   ? level[0]
                             : half[k / 2 - 1] + level[k];
}

// The last step down, from inclusive to exclusive.
extern "C" __global__ void prefix_hybrid(unsigned *out, const unsigned *sums,
                                         unsigned count)
{
    unsigned k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < count) out[k] = k == 0 ? 0 : sums[k - 1];
}
// ANCHOR_END: hybrid

// ANCHOR: tree_tile
// Blelloch's tree over 512 words with padding that works, as in `scan_blelloch_padded`.
// The total goes to `*total`.
__device__ __forceinline__ unsigned padded(unsigned i) { return i + i / 32; }

template <typename T>
__device__ __forceinline__ void scan_tree(T *temp, unsigned t, T *total)
{
    unsigned offset = 1;
#pragma unroll 1
    for (unsigned d = 256; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            temp[padded(offset * (2 * t + 2) - 1)] +=
                temp[padded(offset * (2 * t + 1) - 1)];
    }
    if (t == 0) {
        *total = temp[padded(511)];
        temp[padded(511)] = 0;
    }
#pragma unroll 1
    for (unsigned d = 1; d <= 256; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            unsigned left = padded(offset * (2 * t + 1) - 1),
                     right = padded(offset * (2 * t + 2) - 1);
            T low = temp[left], sum = low + temp[right];
            temp[left] = temp[right];
            temp[right] = sum;
        }
    }
    __syncthreads();
}

template <typename T>
__device__ __forceinline__ void scan_tree_tile(T *out, T *total, const T *in,
                                               unsigned count, T offset)
{
    __shared__ T temp[512 + 512 / 32];
    unsigned t = threadIdx.x, a = blockIdx.x * 512 + t, b = a + 256;

    temp[padded(t)] = a < count ? in[a] : T(0);
    temp[padded(t + 256)] = b < count ? in[b] : T(0);
    scan_tree(temp, t, total);
    if (a < count) out[a] = offset + temp[padded(t)];
    if (b < count) out[b] = offset + temp[padded(t + 256)];
}
// ANCHOR_END: tree_tile

// ANCHOR: prefix_three_kernels
// Arbitrary lengths as in the chapter: every tile is scanned by itself and leaves its
// sum; the sums are scanned in the same way, again and again until one tile is left;
// then every element gets the scanned sum of its tile added.
// Wrong about it: an element is read twice and written twice, 16 bytes where 8 would
// do.
// Right about it: no block waits for another; the launches do that.
extern "C" __global__ void prefix_tiles(unsigned *out, unsigned *sums,
                                        const unsigned *in, unsigned count)
{
    scan_tree_tile(out, &sums[blockIdx.x], in, count, 0u);
}

extern "C" __global__ void prefix_three_kernels(unsigned *out, const unsigned *offsets,
                                                unsigned count, unsigned tile)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] += offsets[i / tile];
}

extern "C" __global__ void prefix_tiles_f32(float *out, float *sums, const float *in,
                                            unsigned count)
{
    scan_tree_tile(out, &sums[blockIdx.x], in, count, 0.0f);
}

extern "C" __global__ void prefix_three_kernels_f32(float *out, const float *offsets,
                                                    unsigned count, unsigned tile)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) out[i] += offsets[i / tile];
}
// ANCHOR_END: prefix_three_kernels

// ANCHOR: prefix_float4
// Lichterman's eight elements per thread, from the chapter's end: two float4 of the two
// halves of a tile of 2048. A thread scans its eight in registers, and the tree goes
// over one sum per four elements, all levels written out.
// Wrong about it: still 16 bytes per element and a barrier per level.
// Right about it: a quarter of the shared memory work of the tree, no loop to count,
// and 16 bytes per load.
template <unsigned D>
__device__ __forceinline__ void sweep_up(float *temp, unsigned t)
{
    if constexpr (D > 0) {
        constexpr unsigned offset = 256 / D;
        __syncthreads();
        if (t < D)
            temp[padded(offset * (2 * t + 2) - 1)] +=
                temp[padded(offset * (2 * t + 1) - 1)];
        sweep_up<D / 2>(temp, t);
    }
}

template <unsigned D>
__device__ __forceinline__ void sweep_down(float *temp, unsigned t)
{
    if constexpr (D <= 256) {
        constexpr unsigned offset = 256 / D;
        if constexpr (D > 1)
            __syncthreads();  // at the root one thread goes on with its own words
        if (t < D) {
            unsigned left = padded(offset * (2 * t + 1) - 1),
                     right = padded(offset * (2 * t + 2) - 1);
            float low = temp[left], sum = low + temp[right];
            temp[left] = temp[right];
            temp[right] = sum;
        }
        sweep_down<2 * D>(temp, t);
    }
}

// Four elements from index i on; what lies behind the end is zero.
template <typename T, typename Four>
__device__ __forceinline__ void load_four(T (&x)[4], const T *in, unsigned i,
                                          unsigned count)
{
    if (count >= 4 && i <= count - 4) {
        Four four = *reinterpret_cast<const Four *>(in + i);
        x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
    } else {
        for (unsigned k = 0; k < 4; k++)
            x[k] = i < count && k < count - i ? in[i + k] : T(0);
    }
}

template <typename T, typename Four>
__device__ __forceinline__ void store_four(T *out, const T (&x)[4], unsigned i,
                                           unsigned count)
{
    if (count >= 4 && i <= count - 4)
        *reinterpret_cast<Four *>(out + i) = Four{x[0], x[1], x[2], x[3]};
    else
        for (unsigned k = 0; k < 4; k++)
            if (i < count && k < count - i) out[i + k] = x[k];
}

// Exclusive prefix sums of four, starting at `before`.
template <typename T>
__device__ __forceinline__ void scan_four(T (&x)[4], T before)
{
    for (unsigned k = 0; k < 4; k++) {
        T own = x[k];
        x[k] = before;
        before += own;
    }
}

extern "C" __global__ void prefix_tiles_float4(float *out, float *sums, const float *in,
                                               unsigned count)
{
    __shared__ float temp[512 + 512 / 32];
    unsigned t = threadIdx.x, a = blockIdx.x * 2048 + 4 * t, b = a + 1024;
    float x[4], y[4];

    load_four<float, float4>(x, in, a, count);
    load_four<float, float4>(y, in, b, count);
    temp[padded(t)] = x[0] + x[1] + x[2] + x[3];
    temp[padded(t + 256)] = y[0] + y[1] + y[2] + y[3];
    sweep_up<256>(temp, t);
    if (t == 0) {
        sums[blockIdx.x] = temp[padded(511)];
        temp[padded(511)] = 0.0f;
    }
    sweep_down<1>(temp, t);
    __syncthreads();
    scan_four(x, temp[padded(t)]);
    scan_four(y, temp[padded(t + 256)]);
    store_four<float, float4>(out, x, a, count);
    store_four<float, float4>(out, y, b, count);
}

extern "C" __global__ void prefix_float4_f32(float *out, const float *offsets,
                                             unsigned count)
{
    unsigned i = blockIdx.x * 1024 + 4 * threadIdx.x;
    float x[4], offset = offsets[i / 2048];
    load_four<float, float4>(x, out, i, count);
    for (unsigned k = 0; k < 4; k++) x[k] += offset;
    store_four<float, float4>(out, x, i, count);
}
// ANCHOR_END: prefix_float4

// ANCHOR: warp_prefix
// The sum of a value over the lanes before this one and this one itself: five shuffles.
template <typename T>
__device__ __forceinline__ T warp_prefix(T value)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        T before = __shfl_up_sync(~0u, value, offset);
        if (threadIdx.x % 32 >= offset) value += before;
    }
    return value;
}

// The sum over the lanes before this one, from what `warp_prefix` made of `value`. Ints
// subtract; floats must not: next to a large value nothing would be left of what lies
// before it.
__device__ __forceinline__ unsigned lanes_before(unsigned end, unsigned value)
{
    return end - value;
}

__device__ __forceinline__ float lanes_before(float end, float value)
{
    float before = __shfl_up_sync(~0u, end, 1);
    return threadIdx.x % 32 == 0 ? 0.0f : before;
}

// The sum over all lanes. Ints have an instruction for it, floats five shuffles.
__device__ __forceinline__ unsigned warp_sum(unsigned value)
{
    return __reduce_add_sync(~0u, value);
}

__device__ __forceinline__ float warp_sum(float value)
{
    for (int offset = 16; offset > 0; offset /= 2)
        value += __shfl_xor_sync(~0u, value, offset);
    return value;
}
// ANCHOR_END: warp_prefix

// ANCHOR: prefix_reduce
// First step of reduce-then-scan: the sum of every tile.
extern "C" __global__ void prefix_reduce(unsigned *sums, const unsigned *in,
                                         unsigned count, unsigned tile)
{
    __shared__ unsigned totals[8];
    unsigned first = blockIdx.x * tile, left = min(tile, count - first), own = 0;

    for (unsigned i = threadIdx.x; i < left; i += 256) own += in[first + i];
    own = warp_sum(own);
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = warp_sum(threadIdx.x < 8 ? totals[threadIdx.x] : 0);
        if (threadIdx.x == 0) sums[blockIdx.x] = own;
    }
}

// Second step: one thread block of 1024 walks through the sums, 1024 at a time, and
// carries the total along.
extern "C" __global__ void prefix_offsets(unsigned *offsets, const unsigned *sums,
                                          unsigned tiles)
{
    __shared__ unsigned totals[2][32];
    unsigned carry = 0, round = 0, lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    for (unsigned first = 0; first < tiles; first += 1024, round++) {
        unsigned i = first + threadIdx.x;
        unsigned value = i < tiles ? sums[i] : 0, end = warp_prefix(value);
        if (lane == 31) totals[round % 2][warp] = end;
        __syncthreads();
        unsigned total = totals[round % 2][lane], end_of_warp = warp_prefix(total);
        unsigned before = __shfl_sync(~0u, end_of_warp - total, warp);
        if (i < tiles) offsets[i] = carry + before + end - value;
        carry += __shfl_sync(~0u, end_of_warp, 31);
    }
}
// ANCHOR_END: prefix_reduce

// ANCHOR: prefix_reduce_scan
// Third step: the tile is read again and scanned, and starts at its offset.
// Wrong about it: 12 bytes per element where 8 would do, and the tree's nineteen
// barriers.
// Right about it: nothing is written that is read again, but for one sum per tile.
extern "C" __global__ void prefix_reduce_scan(unsigned *out, const unsigned *in,
                                              const unsigned *offsets, unsigned count)
{
    __shared__ unsigned total;
    scan_tree_tile(out, &total, in, count, offsets[blockIdx.x]);
}
// ANCHOR_END: prefix_reduce_scan

// ANCHOR: prefix_shuffle
// Every warp scans itself, the first warp scans the totals of the warps, and that is
// all.
// Wrong about it: an element per thread, so the totals are as much work as the
// elements.
// Right about it: 2 W + 2 accesses to shared memory by W warps, 5 (W + 1) shuffles, two
// barriers.
extern "C" __global__ void prefix_shuffle(unsigned *out, const unsigned *in,
                                          const unsigned *offsets, unsigned count)
{
    __shared__ unsigned totals[32];
    unsigned i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x % 32,
             warp = threadIdx.x / 32;
    unsigned x = i < count ? in[i] : 0, end = warp_prefix(x);

    if (lane == 31) totals[warp] = end;
    __syncthreads();
    if (warp == 0) {
        unsigned total = lane < 8 ? totals[lane] : 0;
        totals[lane] = warp_prefix(total) - total;
    }
    __syncthreads();
    if (i < count) out[i] = offsets[blockIdx.x] + totals[warp] + end - x;
}
// ANCHOR_END: prefix_shuffle

// ANCHOR: block_prefix
// The sum over the threads of the block before this one; every thread gets the sum over
// all as well. One barrier: each warp scans the totals for itself. `totals` is shared
// memory of one word per warp.
template <unsigned WARPS, typename T>
__device__ __forceinline__ T block_prefix(T value, T *totals, T *sum)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T end = warp_prefix(value);

    if (lane == 31) totals[warp] = end;
    __syncthreads();
    T total = lane < WARPS ? totals[lane] : T(0), end_of_warp = warp_prefix(total);
    *sum = __shfl_sync(~0u, end_of_warp, 31);
    return __shfl_sync(~0u, lanes_before(end_of_warp, total), warp) +
           lanes_before(end, value);
}
// ANCHOR_END: block_prefix

// ANCHOR: staged
// A thread owns ITEMS elements in a row and adds them without asking anybody; one scan
// of the block is enough for all. In global memory neighbouring lanes must touch
// neighbouring words, so the tile goes through shared memory twice.
template <unsigned ITEMS>
__device__ __forceinline__ void scan_staged(unsigned *out, const unsigned *in,
                                            const unsigned *offsets, unsigned count)
{
    __shared__ unsigned stage[256 * ITEMS], totals[8];
    unsigned t = threadIdx.x, first = blockIdx.x * (256 * ITEMS), left = count - first;
    unsigned x[ITEMS], sum = 0, all;

#pragma unroll
    for (unsigned k = 0; k < ITEMS; k++)
        stage[256 * k + t] = 256 * k + t < left ? in[first + 256 * k + t] : 0;
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < ITEMS; k++) sum += x[k] = stage[ITEMS * t + k];
    unsigned before = offsets[blockIdx.x] + block_prefix<8>(sum, totals, &all);
#pragma unroll
    for (unsigned k = 0; k < ITEMS; k++) {
        stage[ITEMS * t + k] = before;
        before += x[k];
    }
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < ITEMS; k++)
        if (256 * k + t < left) out[first + 256 * k + t] = stage[256 * k + t];
}
// ANCHOR_END: staged

// ANCHOR: prefix_blocked
// 24 elements in a row per thread, a number that CUB's tables hold: five shuffles
// for 24 elements instead of for one.
// Wrong about it: lanes are 24 words apart, and 24 and 32 share the factor 8. Word by
// word eight lanes would meet on a bank; the compiler makes accesses of 16 bytes of it,
// and two do.
extern "C" __global__ void prefix_blocked(unsigned *out, const unsigned *in,
                                          const unsigned *offsets, unsigned count)
{
    scan_staged<24>(out, in, offsets, count);
}
// ANCHOR_END: prefix_blocked

// ANCHOR: prefix_odd
// 23 in a row: an odd distance visits all 32 banks before it meets the first again.
// Wrong about it: the array is still read twice. And no access can be wider than a
// word.
// Right about it: every access is one wavefront, and that costs nothing but a different
// number.
extern "C" __global__ void prefix_odd(unsigned *out, const unsigned *in,
                                      const unsigned *offsets, unsigned count)
{
    scan_staged<23>(out, in, offsets, count);
}
// ANCHOR_END: prefix_odd

// ANCHOR: tiles
// A tile in registers: each warp has 128 ROWS elements in a row and each lane four of
// every 128, so that all accesses to global memory are 16 bytes wide and neither they
// nor the scan need shared memory.
template <unsigned ROWS, typename T, typename Four>
__device__ __forceinline__ void load_tile(T (&x)[ROWS][4], const T *in, unsigned tile,
                                          unsigned size, unsigned count)
{
    unsigned own = threadIdx.x / 32 * (128 * ROWS) + threadIdx.x % 32 * 4,
             left = count - tile * size;
    in += size_t(tile) * size;
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++)
        load_four<T, Four>(x[k], in, own + 128 * k, left);
}

template <unsigned ROWS, typename T, typename Four>
__device__ __forceinline__ void store_tile(T *out, const T (&x)[ROWS][4], unsigned tile,
                                           unsigned size, unsigned count)
{
    unsigned own = threadIdx.x / 32 * (128 * ROWS) + threadIdx.x % 32 * 4,
             left = count - tile * size;
    out += size_t(tile) * size;
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++)
        store_four<T, Four>(out, x[k], own + 128 * k, left);
}

// Scans a warp's rows: elements become what lies before them in the warp, and the sum
// of all rows is returned.
template <unsigned ROWS, typename T>
__device__ __forceinline__ T scan_rows(T (&x)[ROWS][4])
{
    T before = 0, end[ROWS];
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++)
        end[k] = warp_prefix(x[k][0] + x[k][1] + (x[k][2] + x[k][3]));
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++) {
        T own = x[k][0] + x[k][1] + (x[k][2] + x[k][3]);
        scan_four(x[k], before + lanes_before(end[k], own));
        before += __shfl_sync(~0u, end[k], 31);
    }
    return before;
}

template <unsigned ROWS, typename T>
__device__ __forceinline__ void add_to_rows(T (&x)[ROWS][4], T offset)
{
#pragma unroll
    for (unsigned k = 0; k < ROWS; k++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++) x[k][j] += offset;
}

// The tile of a block: its sum is returned, and elements become what lies before them
// in it.
template <unsigned WARPS, unsigned ROWS, typename T>
__device__ __forceinline__ T scan_block_tile(T (&x)[ROWS][4], T *totals)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    T own = scan_rows<ROWS>(x);

    if (lane == 0) totals[warp] = own;
    __syncthreads();
    T total = lane < WARPS ? totals[lane] : T(0), end_of_warp = warp_prefix(total);
    add_to_rows<ROWS>(x, __shfl_sync(~0u, lanes_before(end_of_warp, total), warp));
    return __shfl_sync(~0u, end_of_warp, 31);
}
// ANCHOR_END: tiles

// ANCHOR: chained
// One launch. A block scans its tile, waits until the tile before has told the sum up
// to its end, and tells its own. The sum and the flag that it is there are two words,
// so somebody must say that the sum comes first.
template <bool FENCED>
__device__ __forceinline__ void scan_chained(unsigned *out, const unsigned *in,
                                             unsigned *state, unsigned tile,
                                             unsigned tiles, unsigned count)
{
    __shared__ unsigned totals[8], offset;
    unsigned *sums = state + 4;
    volatile unsigned *flags = sums + tiles;
    unsigned x[4][4];

    load_tile<4, unsigned, uint4>(x, in, tile, 4096, count);
    unsigned total = scan_block_tile<8, 4>(x, totals);
    if (threadIdx.x == 0) {
        unsigned before = 0;
        if (tile > 0) {
            while (flags[tile - 1] == 0) {}
            if (FENCED) __threadfence();
            before = sums[tile - 1];
        }
        sums[tile] = before + total;
        if (FENCED) __threadfence();
        flags[tile] = 1;
        offset = before;
    }
    __syncthreads();
    add_to_rows<4>(x, offset);
    store_tile<4, unsigned, uint4>(out, x, tile, 4096, count);
}

// The tile that comes next: the block that asks first gets the first. So all tiles
// before it have blocks that run already.
__device__ __forceinline__ unsigned take_ticket(unsigned *state)
{
    __shared__ unsigned ticket;
    if (threadIdx.x == 0) ticket = atomicAdd(state, 1u);
    __syncthreads();
    return ticket;
}
// ANCHOR_END: chained

// ANCHOR: prefix_chained_unfenced
// `volatile` makes the compiler load and store the flag each time. It does not order
// flag and sum, neither for the compiler nor for the machine. Wrong about it: the next
// block may see the flag and read the sum that was there before. On most days the two
// stores arrive in their order, and the result is right.
extern "C" __global__ void prefix_chained_unfenced(unsigned *out, const unsigned *in,
                                                   unsigned *state, unsigned count)
{
    scan_chained<false>(out, in, state, take_ticket(state), gridDim.x, count);
}
// ANCHOR_END: prefix_chained_unfenced

// ANCHOR: prefix_chained_by_block
// Two fences make it right, as long as blocks start in the order of their numbers.
// Wrong about it: no manual promises it. Blocks that fill the GPU and wait for one that
// has not begun wait for ever. It works on every GPU of today. Run it in another order
// of blocks, and it does not end.
extern "C" __global__ void prefix_chained_by_block(unsigned *out, const unsigned *in,
                                                   unsigned *state, unsigned count)
{
    scan_chained<true>(out, in, state, blockIdx.x, gridDim.x, count);
}
// ANCHOR_END: prefix_chained_by_block

// ANCHOR: prefix_chained
// A ticket numbers the tiles in the order in which blocks start, whatever that is.
// Wrong about it: a chain through all tiles, one hop after the other, each as long as a
// trip to the L2 cache and back.
// Right about it: 8 bytes per element, and it ends.
extern "C" __global__ void prefix_chained(unsigned *out, const unsigned *in,
                                          unsigned *state, unsigned count)
{
    scan_chained<true>(out, in, state, take_ticket(state), gridDim.x, count);
}
// ANCHOR_END: prefix_chained

// ANCHOR: descriptors
// What a tile tells the tiles after it, in one word of 64 bits, so that it is seen
// whole or not at all: in the high half nothing yet, the sum of the tile, or the sum up
// to its end; in the low half the sum's bits. No fence is needed.
typedef unsigned long long Descriptor;
constexpr unsigned NOTHING = 0, OWN = 1, UP_TO = 2;

__device__ __forceinline__ unsigned to_bits(unsigned value) { return value; }
__device__ __forceinline__ unsigned to_bits(float value)
{
    return __float_as_uint(value);
}
__device__ __forceinline__ void from_bits(unsigned bits, unsigned *value)
{
    *value = bits;
}
__device__ __forceinline__ void from_bits(unsigned bits, float *value)
{
    *value = __uint_as_float(bits);
}

template <typename T>
__device__ __forceinline__ T sum_in(Descriptor descriptor)
{
    T value;
    from_bits(unsigned(descriptor), &value);
    return value;
}

template <typename T>
__device__ __forceinline__ void tell(Descriptor *at, unsigned what, T sum)
{
    Descriptor descriptor = Descriptor(what) << 32 | to_bits(sum);
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(descriptor)
                 : "memory");
}

__device__ __forceinline__ Descriptor ask(const Descriptor *at)
{
    Descriptor descriptor;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];"
                 : "=l"(descriptor)
                 : "l"(at)
                 : "memory");
    return descriptor;
}

// A tile's sum is published at once, the sum up to its end when it is known.
// `look_back` is for the first warp.
template <unsigned WARPS, unsigned ROWS, typename T, typename Four, typename LookBack>
__device__ __forceinline__ void scan_looking_back(T *out, const T *in, unsigned *state,
                                                  unsigned count, LookBack look_back)
{
    constexpr unsigned TILE = WARPS * 128 * ROWS;
    __shared__ T totals[WARPS], offset;
    Descriptor *tiles = reinterpret_cast<Descriptor *>(state + 4);
    unsigned tile = take_ticket(state);
    T x[ROWS][4];

    load_tile<ROWS, T, Four>(x, in, tile, TILE, count);
    T total = scan_block_tile<WARPS, ROWS>(x, totals);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) tell(tiles + tile, tile == 0 ? UP_TO : OWN, total);
        T before = tile == 0 ? T(0) : look_back(tiles, tile);
        if (threadIdx.x == 0) {
            if (tile != 0) tell(tiles + tile, UP_TO, before + total);
            offset = before;
        }
    }
    __syncthreads();
    add_to_rows<ROWS>(x, offset);
    store_tile<ROWS, T, Four>(out, x, tile, TILE, count);
}
// ANCHOR_END: descriptors

// ANCHOR: prefix_lookback_thread
// Who finds that the tile before knows its own sum only adds it and asks the tile
// before that.
// Wrong about it: one descriptor per trip to the L2 cache, while 255 threads wait.
// Right about it: no tile waits for a chain of others. A tile that is late makes the
// others look further back, no more.
extern "C" __global__ void prefix_lookback_thread(unsigned *out, const unsigned *in,
                                                  unsigned *state, unsigned count)
{
    scan_looking_back<8, 4, unsigned, uint4>(
        out, in, state, count, [](const Descriptor *tiles, unsigned tile) {
            unsigned before = 0;
            if (threadIdx.x == 0) {
                Descriptor seen;
                do {
                    tile -= 1;
                    do seen = ask(tiles + tile);
                    while (seen >> 32 == NOTHING);
                    before += sum_in<unsigned>(seen);
                } while (seen >> 32 == OWN);
            }
            return before;
        });
}
// ANCHOR_END: prefix_lookback_thread

// ANCHOR: look_back
// A warp looks at 32 descriptors at a time, until one tells about all tiles up to its
// own; those in between must have told their own sum by then, or the warp looks again.
template <typename T>
__device__ __forceinline__ T look_back(const Descriptor *tiles, unsigned tile)
{
    T before = 0;
    unsigned lane = threadIdx.x % 32;
    for (long long at = (long long)tile - 1 - lane;; at -= 32) {
        unsigned up_to, wanted, missing;
        Descriptor seen;
        do {
            seen = at < 0 ? Descriptor(UP_TO) << 32 : ask(tiles + at);
            up_to = __ballot_sync(~0u, seen >> 32 == UP_TO);
            // The lanes that count: all, or those up to the first that knows about
            // everything before it.
            wanted = up_to == 0 ? ~0u : 2 * (up_to & (0 - up_to)) - 1;
            missing = __ballot_sync(~0u, seen >> 32 == NOTHING) & wanted;
        } while (missing != 0);
        before += warp_sum(wanted >> lane & 1 ? sum_in<T>(seen) : T(0));
        if (up_to != 0) return before;
    }
}
// ANCHOR_END: look_back

// ANCHOR: prefix_lookback_warp
// Decoupled look-back as it is used everywhere today.
// Wrong about it: while the first warp looks back, the others of its block wait, with
// no load in flight.
// Right about it: 8 bytes per element and a tenth of a byte for descriptors, and 32
// tiles per trip to the L2 cache.
extern "C" __global__ void prefix_lookback_warp(unsigned *out, const unsigned *in,
                                                unsigned *state, unsigned count)
{
    scan_looking_back<8, 4, unsigned, uint4>(out, in, state, count,
                                             look_back<unsigned>);
}

extern "C" __global__ void prefix_lookback_warp_f32(float *out, const float *in,
                                                    unsigned *state, unsigned count)
{
    scan_looking_back<8, 4, float, float4>(out, in, state, count, look_back<float>);
}
// ANCHOR_END: prefix_lookback_warp

// ANCHOR: told
// The resident blocks of the last two versions take tile after tile. Such a block knows
// what lies before its last tile, so it adds up what the tiles since then have told,
// their own sums: no block waits for a block that waits.
// A thread asks about every `step`th tile from `first` to `end`, LOOKS of them at a
// time.
template <unsigned LOOKS, typename T>
__device__ __forceinline__ T sum_of_told(const Descriptor *tiles, unsigned first,
                                         unsigned end, unsigned step)
{
    T sum = 0;
    for (; first < end; first += LOOKS * step) {
        Descriptor seen[LOOKS];
#pragma unroll
        for (unsigned k = 0; k < LOOKS; k++)
            seen[k] = first + k * step < end ? ask(tiles + first + k * step)
                                             : Descriptor(OWN) << 32;
#pragma unroll
        for (unsigned k = 0; k < LOOKS; k++) {
            while (seen[k] >> 32 == NOTHING) seen[k] = ask(tiles + first + k * step);
            sum += sum_in<T>(seen[k]);
        }
    }
    return sum;
}
// ANCHOR_END: told

// ANCHOR: mbarriers
// Barriers in shared memory. One turns to its next phase when as many threads as it was
// made for have arrived and as many bytes have come as were announced. Phases are even
// or odd; who waits says which one it wants to see completed.
__device__ __forceinline__ unsigned shared_address(const void *at)
{
    return unsigned(__cvta_generic_to_shared(at));
}

__device__ __forceinline__ void make_barrier(unsigned long long *barrier,
                                             unsigned arrivals)
{
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(shared_address(barrier)),
        "r"(arrivals)
        : "memory");
}

__device__ __forceinline__ void arrive(unsigned long long *barrier)
{
    asm volatile(
        "mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(shared_address(barrier))
        : "memory");
}

__device__ __forceinline__ void wait(unsigned long long *barrier, unsigned odd)
{
    unsigned done;
    do {
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, "
                     "[%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(odd)
                     : "memory");
    } while (done == 0);
}

// The tensor memory accelerator (TMA) copies `bytes` bytes, a multiple of 16, from
// global memory, and signals the barrier.
__device__ __forceinline__ void bring(void *to, const void *from, unsigned bytes,
                                      unsigned long long *barrier)
{
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(
                     shared_address(barrier)),
                 "r"(bytes)
                 : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(barrier))
                 : "memory");
}
// ANCHOR_END: mbarriers

// ANCHOR: prefix_bulk
// Each warp has one task. The loader takes tickets and has the TMA bring tiles
// to STAGES places; SUMMERS warps in turn add up a tile, tell its sum, and leave what
// lies before each of its WARPS chunks; one warp adds up what other tiles have told;
// WARPS warps scan a chunk each and store it. A tile's sum is published long before its
// offset is needed.
// Wrong about it: a program of four kinds of threads, which is hard to read at a
// glance; shared memory is read twice.
// Right about it: no warp that waits holds up a load. All the same, on an H200 the next
// version is faster.
template <unsigned WARPS, unsigned ROWS, unsigned STAGES, unsigned SUMMERS, typename T,
          typename Four>
struct Bulk {
    static constexpr unsigned THREADS = 32 * (WARPS + SUMMERS + 2), CHUNK = 128 * ROWS,
                              TILE = WARPS * CHUNK;
    static constexpr unsigned SHARED = STAGES * TILE * sizeof(T);
    // A wait tells only even phases from odd ones, so a warp that waits must have seen
    // the phase before: a place is one summer's.
    static_assert(WARPS <= 32 && STAGES % SUMMERS == 0,
                  "a lane per chunk, and one summer per place");

    struct State {
        unsigned long long full[STAGES], summed[STAGES], known[STAGES], empty[STAGES];
        unsigned tile[STAGES];                   // which tile is there
        T chunk[STAGES][WARPS], before[STAGES];  // what lies before each chunk in the
                                                 // tile, and before the tile
    };

    // The loader: one thread.
    static __device__ __forceinline__ void load(State &s, T *stages, const T *in,
                                                unsigned *state, unsigned count,
                                                unsigned tiles)
    {
        unsigned over = 0;
        for (unsigned round = 0; over < SUMMERS; round++) {
            unsigned at = round % STAGES;
            if (round >= STAGES) wait(&s.empty[at], (round / STAGES - 1) & 1);
            unsigned tile = over > 0 ? ~0u : atomicAdd(state, 1u);
            s.tile[at] = tile;
            if (tile < tiles) {
                unsigned bytes =
                    min(TILE, (count - tile * TILE) / 4 * 4) * unsigned(sizeof(T));
                if (bytes > 0) {
                    bring(stages + at * TILE, in + size_t(tile) * TILE, bytes,
                          &s.full[at]);
                    continue;
                }
            } else {
                over += 1;  // every summer must see an end
            }
            arrive(&s.full[at]);
        }
    }

    // Four elements of a tile that ends after `left`. What is less than 16 bytes stays
    // where it was in global memory.
    static __device__ __forceinline__ void four(T (&x)[4], const T *stage, const T *in,
                                                unsigned i, unsigned left)
    {
        if (i + 4 <= left) {
            Four four = *reinterpret_cast<const Four *>(stage + i);
            x[0] = four.x, x[1] = four.y, x[2] = four.z, x[3] = four.w;
        } else {
#pragma unroll
            for (unsigned k = 0; k < 4; k++) x[k] = i + k < left ? in[i + k] : T(0);
        }
    }

    // The summers: warp `summer` adds up every tile whose round is its own.
    static __device__ __forceinline__ void sum(State &s, const T *stages, const T *in,
                                               Descriptor *told, unsigned summer,
                                               unsigned count, unsigned tiles)
    {
        unsigned lane = threadIdx.x % 32;
        for (unsigned round = summer;; round += SUMMERS) {
            unsigned at = round % STAGES;
            wait(&s.full[at], round / STAGES & 1);
            unsigned tile = s.tile[at];
            if (tile < tiles) {
                unsigned left = count - tile * TILE;
                T mine = 0;
                for (unsigned chunk = 0; chunk < WARPS; chunk++) {
                    T part = 0;
#pragma unroll
                    for (unsigned k = 0; k < ROWS; k++) {
                        T x[4];
                        four(x, stages + at * TILE, in + size_t(tile) * TILE,
                             chunk * CHUNK + 128 * k + 4 * lane, left);
                        part += x[0] + x[1] + (x[2] + x[3]);
                    }
                    part = warp_sum(part);
                    if (lane == chunk) mine = part;
                }
                T end = warp_prefix(mine), before = lanes_before(end, mine);
                if (lane == 31) tell(told + tile, OWN, end);
                if (lane < WARPS) s.chunk[at][lane] = before;
            }
            __syncwarp();
            if (lane == 0) arrive(&s.summed[at]);
            if (tile >= tiles) return;
        }
    }

    // The one who looks ahead of the scanners: what lies before the tile.
    static __device__ __forceinline__ void look(State &s, const Descriptor *told,
                                                unsigned tiles)
    {
        unsigned lane = threadIdx.x % 32, last = 0;
        T before = 0;
        for (unsigned round = 0;; round++) {
            unsigned at = round % STAGES;
            wait(&s.summed[at], round / STAGES & 1);
            unsigned tile = s.tile[at];
            if (tile < tiles) {
                before += warp_sum(sum_of_told<5, T>(told, last + lane, tile, 32));
                last = tile;
                if (lane == 0) s.before[at] = before;
            }
            if (lane == 0) arrive(&s.known[at]);
            if (tile >= tiles) return;
        }
    }

    // The scanners: warp `warp` takes its chunk of every tile.
    static __device__ __forceinline__ void scan(State &s, const T *stages, T *out,
                                                const T *in, unsigned warp,
                                                unsigned count, unsigned tiles)
    {
        unsigned lane = threadIdx.x % 32, own = warp * CHUNK + 4 * lane;
        for (unsigned round = 0;; round++) {
            unsigned at = round % STAGES;
            wait(&s.known[at], round / STAGES & 1);
            unsigned tile = s.tile[at];
            if (tile >= tiles) return;
            unsigned left = count - tile * TILE;
            T x[ROWS][4];
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                four(x[k], stages + at * TILE, in + size_t(tile) * TILE, own + 128 * k,
                     left);
            T before = s.before[at] + s.chunk[at][warp];
            __syncwarp();
            if (lane == 0) arrive(&s.empty[at]);
            scan_rows<ROWS>(x);
            add_to_rows<ROWS>(x, before);
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                store_four<T, Four>(out + size_t(tile) * TILE, x[k], own + 128 * k,
                                    left);
        }
    }

    static __device__ __forceinline__ void run(T *out, const T *in, unsigned *state,
                                               unsigned count)
    {
        extern __shared__ uint4 stage[];
        __shared__ State s;
        T *stages = reinterpret_cast<T *>(stage);
        Descriptor *told = reinterpret_cast<Descriptor *>(state + 4);
        unsigned tiles = count / TILE + (count % TILE != 0), warp = threadIdx.x / 32;

        if (threadIdx.x == 0) {
            for (unsigned at = 0; at < STAGES; at++) {
                make_barrier(&s.full[at], 1);
                make_barrier(&s.summed[at], 1);
                make_barrier(&s.known[at], 1);
                make_barrier(&s.empty[at], WARPS);
            }
            asm volatile("fence.proxy.async.shared::cta;" ::
                             : "memory");  // the TMA must see them, too
        }
        __syncthreads();
        if (warp < WARPS)
            scan(s, stages, out, in, warp, count, tiles);
        else if (warp < WARPS + SUMMERS)
            sum(s, stages, in, told, warp - WARPS, count, tiles);
        else if (warp == WARPS + SUMMERS)
            look(s, told, tiles);
        else if (threadIdx.x % 32 == 0)
            load(s, stages, in, state, count, tiles);
    }
};

extern "C" __global__ void __launch_bounds__(672, 1)
    prefix_bulk(unsigned *out, const unsigned *in, unsigned *state, unsigned count)
{
    Bulk<16, 4, 6, 3, unsigned, uint4>::run(out, in, state, count);
}

extern "C" __global__ void __launch_bounds__(672, 1)
    prefix_bulk_f32(float *out, const float *in, unsigned *state, unsigned count)
{
    Bulk<16, 4, 6, 3, float, float4>::run(out, in, state, count);
}
// ANCHOR_END: prefix_bulk

// ANCHOR: prefix_pipelined
// Three tiles of a block are in flight: one comes from memory to registers, one has
// published its sum and waits in shared memory, and the one before it gets its offset
// and is stored.
// Wrong about it: all warps do everything together, two barriers per tile, and each
// warp's loads wait for its stores.
// Right about it: the offset was published long before it is needed; a lane finds its
// own words again, without a barrier.
template <unsigned THREADS, unsigned ROWS, typename T, typename Four>
__device__ __forceinline__ void scan_pipelined(T *out, const T *in, unsigned *state,
                                               unsigned count)
{
    constexpr unsigned TILE = THREADS * 4 * ROWS, WARPS = THREADS / 32;
    extern __shared__ uint4 stages[];  // two of a tile each
    __shared__ T totals[WARPS], parts[WARPS];
    __shared__ unsigned next;
    Descriptor *told = reinterpret_cast<Descriptor *>(state + 4);
    unsigned tiles = count / TILE + (count % TILE != 0), lane = threadIdx.x % 32,
             warp = threadIdx.x / 32;
    unsigned ticket = 0, last = 0, staged = ~0u;  // no tile yet
    Four *stage = reinterpret_cast<Four *>(stages) + threadIdx.x,
         *other = stage + THREADS * ROWS;
    T before = 0, x[ROWS][4];  // `before` lies before tile `last`

    unsigned tile = take_ticket(state);
    if (tile < tiles) load_tile<ROWS, T, Four>(x, in, tile, TILE, count);
    if (threadIdx.x == 0)
        ticket = atomicAdd(state, 1u);  // not waited for until it is stored below

    do {  // one round more than tiles, for every block: whichever takes which, the
          // rounds are as many
        if (tile < tiles) {
            T own = scan_rows<ROWS>(x);
            if (lane == 0) totals[warp] = own;
        }
        if (threadIdx.x == 0) next = ticket;
        __syncthreads();

        unsigned following = next;
        if (tile < tiles) {
            T total = lane < WARPS ? totals[lane] : T(0),
              end_of_warp = warp_prefix(total);
            if (threadIdx.x == 31) tell(told + tile, OWN, end_of_warp);
            if (threadIdx.x == 0) ticket = atomicAdd(state, 1u);
            add_to_rows<ROWS>(x,
                              __shfl_sync(~0u, lanes_before(end_of_warp, total), warp));
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++)
                stage[THREADS * k] = Four{x[k][0], x[k][1], x[k][2], x[k][3]};
            if (following < tiles)
                load_tile<ROWS, T, Four>(x, in, following, TILE, count);
        }

        T part = 0;
        if (staged < tiles)
            part = sum_of_told<1, T>(told, last + threadIdx.x, staged, THREADS);
        part = warp_sum(part);
        if (lane == 0) parts[warp] = part;
        __syncthreads();
        if (staged < tiles) {
            before += warp_sum(lane < WARPS ? parts[lane] : T(0));
            last = staged;
            T y[ROWS][4];
#pragma unroll
            for (unsigned k = 0; k < ROWS; k++) {
                Four four = other[THREADS * k];
                y[k][0] = four.x, y[k][1] = four.y, y[k][2] = four.z, y[k][3] = four.w;
            }
            add_to_rows<ROWS>(y, before);
            store_tile<ROWS, T, Four>(out, y, staged, TILE, count);
        }
        Four *stored = other;
        other = stage;
        stage = stored;
        staged = tile;
        tile = following;
    } while (tile < tiles || staged < tiles);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    prefix_pipelined(unsigned *out, const unsigned *in, unsigned *state, unsigned count)
{
    scan_pipelined<512, 4, unsigned, uint4>(out, in, state, count);
}

extern "C" __global__ void __launch_bounds__(512, 2)
    prefix_pipelined_f32(float *out, const float *in, unsigned *state, unsigned count)
{
    scan_pipelined<512, 4, float, float4>(out, in, state, count);
}
// ANCHOR_END: prefix_pipelined

// ANCHOR: small
// The last single passes with tiles of 256, for tests: every length from one tile to
// two is soon tried.
extern "C" __global__ void prefix_lookback_small(unsigned *out, const unsigned *in,
                                                 unsigned *state, unsigned count)
{
    scan_looking_back<2, 1, unsigned, uint4>(out, in, state, count,
                                             look_back<unsigned>);
}

extern "C" __global__ void prefix_bulk_small(unsigned *out, const unsigned *in,
                                             unsigned *state, unsigned count)
{
    Bulk<2, 1, 2, 2, unsigned, uint4>::run(out, in, state, count);
}

extern "C" __global__ void prefix_pipelined_small(unsigned *out, const unsigned *in,
                                                  unsigned *state, unsigned count)
{
    scan_pipelined<64, 1, unsigned, uint4>(out, in, state, count);
}
// ANCHOR_END: small
