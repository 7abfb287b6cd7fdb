// Stream compaction: the positive ints of an array, side by side in a second array, and
// how many they are.
// warpbook: arch=compute_80
//
// The ballot kernels follow Spataro's "Stream compaction on GPU" (2014), scan and
// scatter chapter 39 of GPU Gems 3 (2007), gather and search Horn's chapter 36 of GPU
// Gems 2 (2005), all in our own code. What each version changes:
//
//    1  compact_serial         one thread, one loop: what the others must equal
//    2  compact_atomic         one thread per element, one counter: an atomic per kept
//                              element
//    3  compact_warp_atomic    one atomic per warp
//    4  compact_block_atomic   one atomic per thread block
//    5  compact_scan_scatter   flags, their prefix sums, and a scatter: order is kept
//                              from here on
//    6  compact_gather_search  flags, their prefix sums, and a binary search per kept
//                              element
//    7  compact_ballot5        count, scan, flush by ballots; the warps' totals are
//                              scanned in 5 rounds: wrong
//    8  compact_ballot_branch  6 rounds, but barriers and ballots inside the branch
//                              that ends the array: wrong
//    9  compact_ballot6        6 rounds, all threads at every barrier
//   10  compact_shuffle        the warps' totals are scanned through shuffles
//   11  compact_staged         sixteen elements per thread, the flush goes through
//                              shared memory
//   12  compact_lookback       one launch: a tile looks back for the number of elements
//                              kept before it
//   13  compact_pipelined      resident blocks with three tiles in flight, and no chain
//                              of blocks that wait
//
// Versions 5 to 11 are several launches: of `compact_flags` and `compact_scan_tiles`
// (5, 6), or of a count per thread block (`compact_count` for 7 to 10,
// `compact_count_tiles` for 11), then of `compact_offsets`, one thread block, and then
// of the kernel that the version is named after.
//
// Launch: blocks of 256 threads (512 for 13), ceil(count / 256) of them for 2 to 10,
// ceil(count / 4096) for 11 and 12, as many as the GPU holds for 13, which needs 64 KiB
// of dynamic shared memory. `kept` must be zero before versions 2 to 4, and `state`
// before 12 and 13: a ticket, and after it, at the next multiple of 16 bytes, one
// descriptor of 8 bytes (12) or 4 (13) per tile. `in` begins at a multiple of 16 bytes,
// as every allocation does.
//
// The CPU reference is `kernels/src/problem/compaction.rs`.

// ANCHOR: keep
// Which elements are kept. Zero is not, so that it may stand for what lies behind the
// end of the array.
__device__ __forceinline__ bool keep(int x) { return x > 0; }

// The lanes before this one. For lane 0 nothing is left of the mask; a shift of 32
// would be undefined.
__device__ __forceinline__ unsigned lanes_before()
{
    return 0x7fffffffu >> (31 - threadIdx.x % 32);
}
// ANCHOR_END: keep

// ANCHOR: compact_serial
// One thread walks through the array and moves what it keeps.
// Wrong about it: 2047 of an SM's 2048 threads, and 131 of 132 SMs, have nothing to do.
// Right about it: four lines that anybody can check, and so what the others are checked
// against.
extern "C" __global__ void compact_serial(int *out, unsigned *kept, const int *in,
                                          unsigned count)
{
    unsigned j = 0;
    for (unsigned i = 0; i < count; i++)
        if (keep(in[i])) out[j++] = in[i];
    *kept = j;
}
// ANCHOR_END: compact_serial

// ANCHOR: compact_atomic
// Every kept element asks one counter for its place.
// Wrong about it: places go by arrival, so the order is lost; and the source asks for
// one atomic per kept element. Look at the counters, though: the compiler sends one
// atomic per warp and hands out the places itself.
extern "C" __global__ void compact_atomic(int *out, unsigned *kept, const int *in,
                                          unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && keep(in[i])) out[atomicAdd(kept, 1u)] = in[i];
}
// ANCHOR_END: compact_atomic

// ANCHOR: compact_warp_atomic
// The lanes of a warp count themselves with a ballot, and one of them asks for all.
// Wrong about it: one atomic per warp on one address, and the order between warps is
// still lost.
// Right about it: it does not depend on what a compiler makes of it. Within a warp the
// order is kept.
extern "C" __global__ void compact_warp_atomic(int *out, unsigned *kept, const int *in,
                                               unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int x = i < count ? in[i] : 0;
    unsigned votes = __ballot_sync(~0u, keep(x));
    unsigned first = 0;

    if (threadIdx.x % 32 == 0 && votes != 0) first = atomicAdd(kept, __popc(votes));
    first = __shfl_sync(~0u, first, 0);
    if (keep(x)) out[first + __popc(votes & lanes_before())] = x;
}
// ANCHOR_END: compact_warp_atomic

// ANCHOR: warp_prefix
// The sum of a value over the lanes before this one and this one itself: five shuffles.
__device__ __forceinline__ unsigned warp_prefix(unsigned value)
{
    for (int offset = 1; offset < 32; offset *= 2) {
        unsigned before = __shfl_up_sync(~0u, value, offset);
        if (threadIdx.x % 32 >= offset) value += before;
    }
    return value;
}
// ANCHOR_END: warp_prefix

// ANCHOR: compact_block_atomic
// Warps leave their totals in shared memory, and one thread asks for the whole block.
// Wrong about it: two barriers, and the order between blocks is lost: an unstable
// result, different from run to run.
// Right about it: 8 times fewer atomics than one per warp.
extern "C" __global__ void compact_block_atomic(int *out, unsigned *kept, const int *in,
                                                unsigned count)
{
    __shared__ unsigned first_of_warp[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = i < count ? in[i] : 0;
    unsigned votes = __ballot_sync(~0u, keep(x));

    if (lane == 0) first_of_warp[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
        unsigned total = lane < blockDim.x / 32 ? first_of_warp[lane] : 0;
        unsigned end = warp_prefix(total);
        unsigned first = 0;
        if (lane == 31 && end != 0) first = atomicAdd(kept, end);
        first = __shfl_sync(~0u, first, 31);
        first_of_warp[lane] = first + end - total;
    }
    __syncthreads();
    if (keep(x)) out[first_of_warp[warp] + __popc(votes & lanes_before())] = x;
}
// ANCHOR_END: compact_block_atomic

// ANCHOR: compact_flags
// First step of scan and scatter: 1 for what is kept, 0 for the rest.
extern "C" __global__ void compact_flags(unsigned *flags, const int *in, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) flags[i] = keep(in[i]);
}
// ANCHOR_END: compact_flags

// ANCHOR: compact_scan_tiles
// Second step: the exclusive prefix sums of the flags, tile by tile, with Blelloch's
// tree and padding; the total of each tile goes to `counts`. A thread has two elements
// of the tile, one of each half, as in `scan_blelloch_padded`.
__device__ __forceinline__ unsigned padded(unsigned i) { return i + i / 32; }

extern "C" __global__ void compact_scan_tiles(unsigned *places, unsigned *counts,
                                              const unsigned *flags, unsigned count)
{
    __shared__ unsigned temp[512 + 512 / 32];
    unsigned t = threadIdx.x;
    unsigned a = blockIdx.x * 512 + t, b = a + 256;

    temp[padded(t)] = a < count ? flags[a] : 0;
    temp[padded(t + 256)] = b < count ? flags[b] : 0;
    unsigned offset = 1;
#pragma unroll 1
    for (unsigned d = 256; d > 0; d /= 2, offset *= 2) {
        __syncthreads();
        if (t < d)
            temp[padded(offset * (2 * t + 2) - 1)] +=
                temp[padded(offset * (2 * t + 1) - 1)];
    }
    if (t == 0) {
        counts[blockIdx.x] = temp[padded(511)];
        temp[padded(511)] = 0;
    }
#pragma unroll 1
    for (unsigned d = 1; d <= 256; d *= 2) {
        offset /= 2;
        __syncthreads();
        if (t < d) {
            unsigned left = padded(offset * (2 * t + 1) - 1),
                     right = padded(offset * (2 * t + 2) - 1);
            unsigned low = temp[left], sum = low + temp[right];
            temp[left] = temp[right];
            temp[right] = sum;
        }
    }
    __syncthreads();
    if (a < count) places[a] = temp[padded(t)];
    if (b < count) places[b] = temp[padded(t + 256)];
}
// ANCHOR_END: compact_scan_tiles

// ANCHOR: block_prefix
// The sum over the threads of the block before this one; every thread gets the sum over
// all as well. `totals` is shared memory of one word per warp; of two calls in a row,
// each needs its own.
__device__ __forceinline__ unsigned block_prefix(unsigned value, unsigned *totals,
                                                 unsigned *sum)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned end = warp_prefix(value);

    if (lane == 31) totals[warp] = end;
    __syncthreads();
    unsigned total = lane < blockDim.x / 32 ? totals[lane] : 0;
    unsigned end_of_warp = warp_prefix(total);
    *sum = __shfl_sync(~0u, end_of_warp, 31);
    return __shfl_sync(~0u, end_of_warp - total, warp) + end - value;
}
// ANCHOR_END: block_prefix

// ANCHOR: compact_offsets
// The step in the middle: one thread block turns the blocks' totals into the place of
// each block's first element.
// Wrong about it: the whole GPU waits for one SM, and for 256 elements per block there
// are many totals.
// It walks through them 1024 at a time and carries the sum along.
extern "C" __global__ void compact_offsets(unsigned *offsets, unsigned *kept,
                                           const unsigned *counts, unsigned blocks)
{
    __shared__ unsigned totals[2][32];
    unsigned carry = 0, round = 0, sum;

    for (unsigned first = 0; first < blocks; first += blockDim.x) {
        unsigned i = first + threadIdx.x;
        unsigned value = i < blocks ? counts[i] : 0;
        unsigned before = block_prefix(value, totals[round++ % 2], &sum);
        if (i < blocks) offsets[i] = carry + before;
        carry += sum;
    }
    if (threadIdx.x == 0) *kept = carry;
}
// ANCHOR_END: compact_offsets

// ANCHOR: compact_scan_scatter
// Third step of scan and scatter: a kept element's prefix sum is its place.
// Wrong about it: 24 bytes per element, and 4 per kept element: flags and places are
// written and read again.
// Right about it: the order is kept, without a single atomic.
extern "C" __global__ void compact_scan_scatter(int *out, const int *in,
                                                const unsigned *places,
                                                const unsigned *offsets, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count && keep(in[i])) out[offsets[i / 512] + places[i]] = in[i];
}
// ANCHOR_END: compact_scan_scatter

// ANCHOR: compact_gather_search
// For hardware that cannot scatter: every place of the result looks for its element,
// halving the array again and again.
// Wrong about it: log2(count) dependent loads per kept element. It is here as history.
// The element for place j is the last one with at most j kept elements before it, since
// that one is kept itself.
extern "C" __global__ void compact_gather_search(int *out, const int *in,
                                                 const unsigned *places,
                                                 const unsigned *offsets,
                                                 const unsigned *kept, unsigned count)
{
    unsigned j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j >= *kept) return;
    unsigned low = 0, high = count;  // the element is in [low, high)
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (offsets[middle / 512] + places[middle] <= j)
            low = middle;
        else
            high = middle;
    }
    out[j] = in[low];
}
// ANCHOR_END: compact_gather_search

// ANCHOR: compact_count
// First phase of the ballot kernels: `__syncthreads_count` counts a block's kept
// elements in one instruction.
extern "C" __global__ void compact_count(unsigned *counts, const int *in,
                                         unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned total = __syncthreads_count(i < count && keep(in[i]));
    if (threadIdx.x == 0) counts[blockIdx.x] = total;
}
// ANCHOR_END: compact_count

// ANCHOR: ballots
// Third phase: a kept element's place is the block's, plus that of its warp in the
// block, plus that in its warp. The totals of at most 32 warps are scanned bit by bit:
// a ballot tells one bit of all totals at once.
template <int rounds>
__device__ __forceinline__ void
compact_by_ballots(int *out, const int *in, const unsigned *offsets, unsigned count)
{
    __shared__ unsigned totals[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = i < count ? in[i] : 0;
    unsigned in_warp = __popc(__ballot_sync(~0u, keep(x)) & lanes_before());

    if (lane == 31) totals[warp] = in_warp + keep(x);
    __syncthreads();
    if (warp == 0) {
        unsigned total = lane < blockDim.x / 32 ? totals[lane] : 0;
        unsigned in_block = 0;
        for (int bit = 0; bit < rounds; bit++)
            in_block += __popc(__ballot_sync(~0u, total >> bit & 1) & lanes_before())
                        << bit;
        totals[lane] = in_block;
    }
    __syncthreads();
    if (keep(x)) out[offsets[blockIdx.x] + totals[warp] + in_warp] = x;
}
// ANCHOR_END: ballots

// ANCHOR: compact_ballot5
// Five rounds, as printed: log2 of 32 lanes. A total of 32 needs a sixth bit.
// Wrong about it: a full warp counts as an empty one, and the next warp's elements go
// where its elements are. Half kept at random, no test will ever see a full warp; on
// dense data it is wrong nearly always.
extern "C" __global__ void compact_ballot5(int *out, const int *in,
                                           const unsigned *offsets, unsigned count)
{
    compact_by_ballots<5>(out, in, offsets, count);
}
// ANCHOR_END: compact_ballot5

// ANCHOR: compact_ballot_branch
// The listing's shape, with six rounds: all of it stands inside the branch that ends
// the array.
// Wrong about it: where the array ends, no lane 31 writes the total of its warp, which
// is read all the same, uninitialised. The results are right, since only warps behind
// the end add those totals. And `__activemask()` names the lanes that happen to be
// there, which nothing guarantees to be all those of the branch.
// Right about it: the barriers. Since Volta a barrier waits for the threads that have
// not exited, and those that skip the branch exit.
extern "C" __global__ void
compact_ballot_branch(int *out, const int *in, const unsigned *offsets, unsigned count)
{
    __shared__ unsigned totals[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    if (i < count) {
        int x = in[i];
        unsigned in_warp =
            __popc(__ballot_sync(__activemask(), keep(x)) & lanes_before());
        if (lane == 31) totals[warp] = in_warp + keep(x);
        __syncthreads();
        if (warp == 0 && lane < blockDim.x / 32) {
            unsigned total = totals[lane], in_block = 0;
            for (int bit = 0; bit < 6; bit++)
                in_block += __popc(__ballot_sync(__activemask(), total >> bit & 1) &
                                   lanes_before())
                            << bit;
            totals[lane] = in_block;
        }
        __syncthreads();
        if (keep(x)) out[offsets[blockIdx.x] + totals[warp] + in_warp] = x;
    }
}
// ANCHOR_END: compact_ballot_branch

// ANCHOR: compact_ballot6
// Six rounds: a total is at most 32, and 32 is 100000 in binary.
// Wrong about it: the input is read twice, an element per thread, and every warp's
// elements are stored apart.
// Right about it: W + 6 ballots and two barriers per block of W warps, no atomic, and
// the order is kept.
extern "C" __global__ void compact_ballot6(int *out, const int *in,
                                           const unsigned *offsets, unsigned count)
{
    compact_by_ballots<6>(out, in, offsets, count);
}
// ANCHOR_END: compact_ballot6

// ANCHOR: compact_shuffle
// The totals of the warps are scanned by every warp through shuffles, behind one
// barrier instead of two.
// Wrong about it: still an element per thread.
// Right about it: it counts as far as it must, whatever the totals: nothing to get
// wrong about bits.
extern "C" __global__ void compact_shuffle(int *out, const int *in,
                                           const unsigned *offsets, unsigned count)
{
    __shared__ unsigned totals[32];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int x = i < count ? in[i] : 0;
    unsigned votes = __ballot_sync(~0u, keep(x));

    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    unsigned total = lane < blockDim.x / 32 ? totals[lane] : 0;
    unsigned in_block = __shfl_sync(~0u, warp_prefix(total) - total, warp);
    if (keep(x))
        out[offsets[blockIdx.x] + in_block + __popc(votes & lanes_before())] = x;
}
// ANCHOR_END: compact_shuffle

// ANCHOR: tiles
// A tile is sixteen elements for each of 256 threads. A warp has 512 of them in a row;
// each of its loads takes 32.
constexpr unsigned ITEMS = 16, TILE = 256 * ITEMS;

__device__ __forceinline__ void load_tile(int (&x)[ITEMS], const int *in, unsigned tile,
                                          unsigned count)
{
    unsigned own = threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32,
             left = count - tile * TILE;
    in += size_t(tile) * TILE + own;
    for (unsigned k = 0; k < ITEMS; k++) x[k] = own + 32 * k < left ? in[32 * k] : 0;
}

// Places within the tile: one ballot per element. The kept elements go to `stage`, and
// the number of them is returned.
__device__ __forceinline__ unsigned stage_tile(int (&x)[ITEMS], int *stage,
                                               unsigned *totals)
{
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned votes[ITEMS], own = 0;

    for (unsigned k = 0; k < ITEMS; k++) {
        votes[k] = __ballot_sync(~0u, keep(x[k]));
        own += __popc(votes[k]);
    }
    if (lane == 0) totals[warp] = own;
    __syncthreads();
    unsigned total = lane < blockDim.x / 32 ? totals[lane] : 0;
    unsigned end_of_warp = warp_prefix(total);
    unsigned place = __shfl_sync(~0u, end_of_warp - total, warp);
    for (unsigned k = 0; k < ITEMS; k++) {
        if (keep(x[k])) stage[place + __popc(votes[k] & lanes_before())] = x[k];
        place += __popc(votes[k]);
    }
    return __shfl_sync(~0u, end_of_warp, 31);
}

// Copies the staged elements to `out`, in such a way that a warp's stores begin at
// multiples of 128 bytes.
__device__ __forceinline__ void flush(int *out, unsigned offset, const int *stage,
                                      unsigned total)
{
    unsigned skip = offset % 32;
    for (unsigned j = threadIdx.x; j < skip + total; j += blockDim.x)
        if (j >= skip) out[size_t(offset) - skip + j] = stage[j - skip];
}
// ANCHOR_END: tiles

// ANCHOR: compact_count_tiles
// The first phase for tiles: a thread counts its sixteen elements, and `redux.sync`
// adds up the warp.
extern "C" __global__ void compact_count_tiles(unsigned *counts, const int *in,
                                               unsigned count)
{
    __shared__ unsigned totals[8];
    int x[ITEMS];
    unsigned own = 0;

    load_tile(x, in, blockIdx.x, count);
    for (unsigned k = 0; k < ITEMS; k++) own += keep(x[k]);
    own = __reduce_add_sync(~0u, own);
    if (threadIdx.x % 32 == 0) totals[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 32) {
        own = __reduce_add_sync(~0u, threadIdx.x < 8 ? totals[threadIdx.x] : 0);
        if (threadIdx.x == 0) counts[blockIdx.x] = own;
    }
}
// ANCHOR_END: compact_count_tiles

// ANCHOR: compact_staged
// Sixteen elements per thread: sixteen loads are in flight, and the tile's kept
// elements are stored side by side.
// Wrong about it: the input is still read twice, 8 bytes per element and 4 per kept
// element.
// Right about it: a run of k kept elements touches at most k / 8 + 2 sectors, however
// they were spread before.
extern "C" __global__ void compact_staged(int *out, const int *in,
                                          const unsigned *offsets, unsigned count)
{
    __shared__ int stage[TILE];
    __shared__ unsigned totals[8];
    int x[ITEMS];

    load_tile(x, in, blockIdx.x, count);
    unsigned total = stage_tile(x, stage, totals);
    __syncthreads();
    flush(out, offsets[blockIdx.x], stage, total);
}
// ANCHOR_END: compact_staged

// ANCHOR: descriptors
// What a tile tells the tiles after it, in one word of 64 bits, so that it is seen
// whole or not at all: in the high half nothing yet, the number of elements kept in the
// tile, or the number kept up to its end; in the low half the number.
typedef unsigned long long Descriptor;
constexpr unsigned NOTHING = 0, OWN = 1, UP_TO = 2;

__device__ __forceinline__ void tell(Descriptor *at, unsigned what, unsigned number)
{
    Descriptor descriptor = Descriptor(what) << 32 | number;
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

// The number of elements kept before a tile. A warp looks at 32 descriptors at a time,
// until one tells about all tiles up to its own; those in between must have told their
// own number by then, or the warp looks again.
__device__ __forceinline__ unsigned look_back(const Descriptor *tiles, unsigned tile)
{
    unsigned before = 0, lane = threadIdx.x % 32;
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
        before += __reduce_add_sync(~0u, wanted >> lane & 1 ? unsigned(seen) : 0);
        if (up_to != 0) return before;
    }
}
// ANCHOR_END: descriptors

// ANCHOR: compact_lookback
// One launch: the elements are read once, counted, and stored as soon as the tiles
// before have told their numbers.
// Wrong about it: while the first warp looks back, the others of its block wait, with
// no load in flight. Tiles are numbered by a ticket, not by blockIdx: a
// tile waits only for tiles whose blocks have started already.
extern "C" __global__ void compact_lookback(int *out, unsigned *kept, const int *in,
                                            unsigned *state, unsigned count)
{
    __shared__ int stage[TILE];
    __shared__ unsigned totals[8], ticket, offset;
    Descriptor *tiles = reinterpret_cast<Descriptor *>(state + 4);
    int x[ITEMS];

    if (threadIdx.x == 0) ticket = atomicAdd(state, 1u);
    __syncthreads();
    unsigned tile = ticket;
    load_tile(x, in, tile, count);
    unsigned total = stage_tile(x, stage, totals);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) tell(tiles + tile, tile == 0 ? UP_TO : OWN, total);
        unsigned before = tile == 0 ? 0 : look_back(tiles, tile);
        if (threadIdx.x == 0) {
            if (tile != 0) tell(tiles + tile, UP_TO, before + total);
            if (tile == gridDim.x - 1) *kept = before + total;
            offset = before;
        }
    }
    __syncthreads();
    flush(out, offset, stage, total);
}
// ANCHOR_END: compact_lookback

// ANCHOR: compact_pipelined
// As many blocks as the GPU holds, and each takes tile after tile. Three of its tiles
// are in flight at a time: one comes from memory, one is counted and staged, one is
// flushed. A tile tells its number long before anybody needs it, and a block knows how
// many elements were kept before its last tile, so it adds up what the tiles since then
// have told: no block waits for a block that waits. Five shuffles find sixteen places,
// because a lane's four counts, one per load of 16 bytes, are scanned together as the
// four bytes of a word; a count over 32 lanes is at most 128.
constexpr unsigned THREADS = 512, LOADS = 4, LONG_TILE = THREADS * 4 * LOADS;

// Each warp has 512 elements in a row. What lies behind the end of the array is zero,
// which is not kept.
__device__ __forceinline__ void load_long_tile(int4 (&x)[LOADS], const int *in,
                                               unsigned tile, unsigned count)
{
    unsigned own = threadIdx.x / 32 * (128 * LOADS) + threadIdx.x % 32 * 4,
             left = count - tile * LONG_TILE;
    in += size_t(tile) * LONG_TILE + own;
    if (left >= LONG_TILE) {
        for (unsigned k = 0; k < LOADS; k++)
            x[k] = __ldcs(reinterpret_cast<const int4 *>(in) + 32 * k);
    } else {
        for (unsigned k = 0; k < LOADS; k++) {
            unsigned i = own + 128 * k;
            x[k].x = i < left ? in[128 * k] : 0;
            x[k].y = i + 1 < left ? in[128 * k + 1] : 0;
            x[k].z = i + 2 < left ? in[128 * k + 2] : 0;
            x[k].w = i + 3 < left ? in[128 * k + 3] : 0;
        }
    }
}

// What a tile has told: its number and one more, so that zero is nothing yet.
__device__ __forceinline__ unsigned wait_for(const unsigned *tile)
{
    unsigned told;
    do {
        asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                     : "=r"(told)
                     : "l"(tile)
                     : "memory");
    } while (told == 0);
    return told - 1;
}

extern "C" __global__ void __launch_bounds__(THREADS, 2)
    compact_pipelined(int *out, unsigned *kept, const int *in, unsigned *state,
                      unsigned count)
{
    extern __shared__ int stages[];  // two of a tile each
    __shared__ unsigned totals[THREADS / 32], parts[THREADS / 32], next;
    unsigned *told = state + 4;
    unsigned tiles = count / LONG_TILE + (count % LONG_TILE != 0);
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    unsigned ticket = 0, last = 0,
             before = 0;  // `before` elements are kept before tile `last`
    unsigned staged = ~0u, staged_total = 0;  // no tile yet
    int *stage = stages, *other = stages + LONG_TILE;
    int4 x[LOADS];

    if (threadIdx.x == 0) parts[0] = atomicAdd(state, 1u);
    __syncthreads();
    unsigned tile = parts[0];
    if (tiles == 0 && tile == 0 && threadIdx.x == 0) *kept = 0;
    if (tile < tiles) load_long_tile(x, in, tile, count);
    if (threadIdx.x == 0)
        ticket = atomicAdd(state, 1u);  // not waited for until it is stored below

    do {  // one round more than tiles, for every block: whichever takes which, the
          // rounds are as many
        unsigned own = 0, all,
                 end;  // byte k: how many of load k's four elements are kept
        if (tile < tiles) {
            for (unsigned k = 0; k < LOADS; k++)
                own +=
                    unsigned(keep(x[k].x) + keep(x[k].y) + keep(x[k].z) + keep(x[k].w))
                    << 8 * k;
            end = warp_prefix(own);
            all = __shfl_sync(~0u, end, 31);
            if (lane == 0)
                totals[warp] =
                    (all & 0xff) + (all >> 8 & 0xff) + (all >> 16 & 0xff) + (all >> 24);
        }
        if (threadIdx.x == 0) next = ticket;
        __syncthreads();

        unsigned following = next, total = 0;
        if (tile < tiles) {
            total = lane < THREADS / 32 ? totals[lane] : 0;
            unsigned end_of_warp = warp_prefix(total);
            unsigned place = __shfl_sync(~0u, end_of_warp - total, warp);
            total = __shfl_sync(~0u, end_of_warp, 31);
            if (threadIdx.x == 0) {
                asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(told + tile),
                             "r"(total + 1)
                             : "memory");
                ticket = atomicAdd(state, 1u);
            }
            end -= own;
            for (unsigned k = 0; k < LOADS; k++) {
                unsigned at = place + (end >> 8 * k & 0xff);
                if (keep(x[k].x)) stage[at++] = x[k].x;
                if (keep(x[k].y)) stage[at++] = x[k].y;
                if (keep(x[k].z)) stage[at++] = x[k].z;
                if (keep(x[k].w)) stage[at] = x[k].w;
                place += all >> 8 * k & 0xff;
            }
            if (following < tiles) load_long_tile(x, in, following, count);
        }

        unsigned part = 0;
        if (staged < tiles)
            for (unsigned i = last + threadIdx.x; i < staged; i += THREADS)
                part += wait_for(told + i);
        part = __reduce_add_sync(~0u, part);
        if (lane == 0) parts[warp] = part;
        __syncthreads();
        if (staged < tiles) {
            before += __reduce_add_sync(~0u, lane < THREADS / 32 ? parts[lane] : 0);
            last = staged;
            if (staged == tiles - 1 && threadIdx.x == 0) *kept = before + staged_total;
            flush(out, before, other, staged_total);
        }
        int *flushed = other;
        other = stage;
        stage = flushed;
        staged = tile;
        staged_total = total;
        tile = following;
    } while (tile < tiles || staged < tiles);
}
// ANCHOR_END: compact_pipelined
