// Histogram: how often each of the 256 values of a byte occurs.
// warpbook: arch=compute_90
//
// The order follows Wilt's "Histogram computation in CUDA" (2014), from one histogram
// for the grid to one per block and one per thread, in our own code, and ends with what
// shared memory's atomics have made possible since. What each version changes:
//
//    1  histogram_global            one histogram: an atomic in global memory per byte
//    2  histogram_global4           four bytes per load
//    3  histogram_block             a histogram per block in shared memory, added to
//                                   the result at the end
//    4  histogram_block4            four bytes per load
//    5  histogram_block_offset      every block begins to add at another bin
//    6  histogram_block_sums        a second kernel adds the blocks' histograms: no
//                                   atomic in global memory
//    7  histogram_warp              a histogram per warp
//    8  histogram_rows              a histogram per thread, 8 bits per bin, each
//                                   thread's in a row of its own
//    9  histogram_columns           the same with each thread's in a column
//   10  histogram_permuted          and neighbouring threads' columns in neighbouring
//                                   words
//   11  histogram_packed_printed    four bins of a thread in a word; the printed kernel
//                                   and grid: loses up to 3 bytes
//   12  histogram_packed_256        version 13 with a grid that gives a thread 256
//                                   bytes, as the text allows: wrong
//   13  histogram_packed            every byte, at most 255 per thread, and as few
//                                   blocks as that takes
//   14  histogram_periodic_printed  any number of bytes per thread, merged in time, as
//                                   printed: a race
//   15  histogram_periodic          the same in rounds that all threads make, with a
//                                   barrier behind the rows
//   16  histogram_spill             7 bits per bin; the eighth tells when to empty it
//   17  histogram_copies2 (to 21, histogram_copies32)  2, 4, 8, 16, 32 histograms per
//                                                      block, shared by lane
//   22  histogram_runs              equal bytes in a row are added at once
//   23  histogram_match             equal bytes of a warp are added at once
//   24  histogram_lanes             a histogram per lane of a warp for the whole block,
//                                   16 bytes per load
//   25  histogram_bulk              the TMA adds a block's 256 sums to the
//                                   result
//   26  histogram_many              more values than a byte has: two bytes each,
//                                   dynamic shared memory
//   27  histogram_many_bulk         the TMA adds a block's bins to the result
//
// Parameters: `hist`, zero before, receives the counts; `count` is the number of
// elements of `in`, which begins at a multiple of 16 bytes, as every allocation does.
// Version 6 leaves 256 sums per block in `sums`, which `histogram_sum`, one block
// of 256 threads, adds up.
// Launch: any grid of blocks of 256 threads (1 to 7, 17 to 23, 26, 27), 64 (8 to 16)
// or 1024 (24, 25). A thread of 8 to 13 counts at most 255 bytes:
// ceil(count / (64 * 252)) blocks; the printed kernel is launched with
// ceil(count / (64 * 63)). Dynamic shared memory: 4 bytes per value for versions 26
// and 27, else none.
//
// The CPU reference is `kernels/src/problem/histogram.rs`. Counts wrap at 2^32.

typedef unsigned char Byte;

// ANCHOR: for_each
// Hands a block's bytes to `add`, one per thread and round. All threads of a block make
// the same number of rounds.
template <typename Element, typename Add>
__device__ __forceinline__ void for_each(const Element *in, size_t count, Add add)
{
    for (size_t first = size_t(blockIdx.x) * blockDim.x; first < count;
         first += size_t(gridDim.x) * blockDim.x)
        if (first + threadIdx.x < count) add(unsigned(in[first + threadIdx.x]));
}

// The same with four bytes per load. What does not fill a word is left to the first
// threads.
template <typename Add>
__device__ __forceinline__ void for_each_in_words(const Byte *in, size_t count, Add add)
{
    for_each(reinterpret_cast<const unsigned *>(in), count / 4, [&](unsigned word) {
        add(word & 0xff);
        add(word >> 8 & 0xff);
        add(word >> 16 & 0xff);
        add(word >> 24);
    });
    if (blockIdx.x == 0 && threadIdx.x < count % 4)
        add(in[count / 4 * 4 + threadIdx.x]);
}
// ANCHOR_END: for_each

// ANCHOR: histogram_global
// One atomic in global memory per byte, all on 1 KiB.
// Wrong about it: bytes that are alike queue up for one address; a constant image is
// one long queue.
// Right about it: nothing to merge, nothing to overflow. Everything below fights that
// queue.
extern "C" __global__ void histogram_global(unsigned *hist, const Byte *in,
                                            size_t count)
{
    for_each(in, count, [&](unsigned value) { atomicAdd(hist + value, 1u); });
}
// ANCHOR_END: histogram_global

// ANCHOR: histogram_global4
// A quarter of the loads.
// Wrong about it: the loads were not the problem: there are as many atomics as before.
// Compare the time with histogram_global's, and the counters of the atomics.
extern "C" __global__ void histogram_global4(unsigned *hist, const Byte *in,
                                             size_t count)
{
    for_each_in_words(in, count, [&](unsigned value) { atomicAdd(hist + value, 1u); });
}
// ANCHOR_END: histogram_global4

// ANCHOR: block
// Sets the bins of a block to zero.
__device__ __forceinline__ void clear(unsigned *bins, unsigned count)
{
    for (unsigned i = threadIdx.x; i < count; i += blockDim.x) bins[i] = 0;
}

// Adds a block's 256 bins to the result, beginning with bin `first`.
__device__ __forceinline__ void add_bins(unsigned *hist, const unsigned *bins,
                                         unsigned first)
{
    __syncthreads();
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(hist + (first + i) % 256, bins[(first + i) % 256]);
}
// ANCHOR_END: block

// ANCHOR: histogram_block
// The queues are in shared memory now, one set per block; global memory sees 256
// atomics per block.
// Wrong about it: a byte per load; and lanes with different values in one bank wait for
// each other.
// Right about it: an SM's atomics stay within the SM.
extern "C" __global__ void histogram_block(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned bins[256];
    clear(bins, 256);
    __syncthreads();
    for_each(in, count, [&](unsigned value) { atomicAdd(bins + value, 1u); });
    add_bins(hist, bins, 0);
}
// ANCHOR_END: histogram_block

// ANCHOR: histogram_block4
// Four bytes per load.
// Wrong about it: random values still meet three deep in one of 32 banks, and wait.
// Right about it: here the loads do count, because the atomics have become cheap.
extern "C" __global__ void histogram_block4(unsigned *hist, const Byte *in,
                                            size_t count)
{
    __shared__ unsigned bins[256];
    clear(bins, 256);
    __syncthreads();
    for_each_in_words(in, count, [&](unsigned value) { atomicAdd(bins + value, 1u); });
    add_bins(hist, bins, 0);
}
// ANCHOR_END: histogram_block4

// ANCHOR: histogram_block_offset
// Blocks that end together do not add to the same bins at the same moment.
// Wrong about it: it is a remedy for a moment of the run that is short anyway.
// Right about it: it costs an addition. Whether it helps, only a clock can tell: no
// counter differs.
extern "C" __global__ void histogram_block_offset(unsigned *hist, const Byte *in,
                                                  size_t count)
{
    __shared__ unsigned bins[256];
    clear(bins, 256);
    __syncthreads();
    for_each_in_words(in, count, [&](unsigned value) { atomicAdd(bins + value, 1u); });
    add_bins(hist, bins, 32 * blockIdx.x);
}
// ANCHOR_END: histogram_block_offset

// ANCHOR: histogram_block_sums
// Blocks store their histograms side by side, and a second kernel adds them up.
// Wrong about it: a second launch, and memory for 256 sums per block.
// Right about it: no atomic in global memory at all.
extern "C" __global__ void histogram_block_sums(unsigned *sums, const Byte *in,
                                                size_t count)
{
    __shared__ unsigned bins[256];
    clear(bins, 256);
    __syncthreads();
    for_each_in_words(in, count, [&](unsigned value) { atomicAdd(bins + value, 1u); });
    __syncthreads();
    sums[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void histogram_sum(unsigned *hist, const unsigned *sums,
                                         unsigned blocks)
{
    unsigned sum = 0;
    for (unsigned block = 0; block < blocks; block++)
        sum += sums[block * 256 + threadIdx.x];
    hist[threadIdx.x] = sum;
}
// ANCHOR_END: histogram_block_sums

// ANCHOR: histogram_warp
// Each warp has its own 256 bins: warps do not meet.
// Wrong about it: lanes of one warp still do, and they are the ones that make each
// other wait.
// The price is W KiB of shared memory for W warps, and W loads per bin at the end.
extern "C" __global__ void histogram_warp(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned bins[8 * 256];
    unsigned *own = bins + threadIdx.x / 32 * 256;
    clear(bins, 8 * 256);
    __syncthreads();
    for_each_in_words(in, count, [&](unsigned value) { atomicAdd(own + value, 1u); });
    __syncthreads();
    unsigned sum = 0;
    for (unsigned warp = 0; warp < 8; warp++) sum += bins[warp * 256 + threadIdx.x];
    atomicAdd(hist + threadIdx.x, sum);
}
// ANCHOR_END: histogram_warp

// ANCHOR: byte_bins
// A histogram per thread with 8 bits per bin: 64 threads fill 16 KiB. `place` says
// where a thread's bin lies. No atomics while counting, since no two threads share a
// byte; but lanes whose bytes share a bank share its time.
template <typename Place>
__device__ __forceinline__ void count_in_bytes(unsigned *hist, const Byte *in,
                                               size_t count, Place place)
{
    __shared__ unsigned words[64 * 64];
    Byte *bins = reinterpret_cast<Byte *>(words);

    clear(words, 64 * 64);
    __syncthreads();
    for_each_in_words(in, count,
                      [&](unsigned value) { bins[place(value, threadIdx.x)]++; });
    __syncthreads();
    for (unsigned value = threadIdx.x; value < 256; value += 64) {
        unsigned sum = 0;
        for (unsigned thread = 0; thread < 64; thread++)
            sum += bins[place(value, (thread + threadIdx.x) % 64)];
        atomicAdd(hist + value, sum);
    }
}
// ANCHOR_END: byte_bins

// ANCHOR: histogram_rows
// Figure 4: a row of 256 bytes per thread.
// Wrong about it: rows are 64 words long, so all lanes with the same value meet in one
// bank: 32 wavefronts when the image is constant.
extern "C" __global__ void histogram_rows(unsigned *hist, const Byte *in, size_t count)
{
    count_in_bytes(hist, in, count, [](unsigned value, unsigned thread) {
        return thread * 256 + value;
    });
}
// ANCHOR_END: histogram_rows

// ANCHOR: histogram_columns
// Figure 5: a column per thread; equal values lie side by side.
// Wrong about it: four threads share a word, so 32 lanes use 8 banks, and different
// values meet there.
// Right about it: a constant image costs one wavefront per access.
extern "C" __global__ void histogram_columns(unsigned *hist, const Byte *in,
                                             size_t count)
{
    count_in_bytes(hist, in, count,
                   [](unsigned value, unsigned thread) { return value * 64 + thread; });
}
// ANCHOR_END: histogram_columns

// ANCHOR: histogram_permuted
// A column per thread, in an order in which neighbouring lanes own neighbouring words:
// 16 words of four bytes.
// Wrong about it: a warp still uses half of the banks for a value, and which half
// depends on the value.
// It was made for 16 banks and half warps, where it was free of conflicts.
extern "C" __global__ void histogram_permuted(unsigned *hist, const Byte *in,
                                              size_t count)
{
    count_in_bytes(hist, in, count, [](unsigned value, unsigned thread) {
        return value * 64 + thread % 16 * 4 + thread / 16;
    });
}
// ANCHOR_END: histogram_permuted

// ANCHOR: packed
// Figure 6: 64 rows of 64 words. Word (r, t) holds four bins of thread t: values 4r to
// 4r + 3, 8 bits each. A thread's words are all in one bank, and the 32 lanes of a warp
// are in 32 banks, whatever the bytes are.
__device__ __forceinline__ void count_packed(unsigned *words, unsigned value)
{
    words[value / 4 * 64 + threadIdx.x] += 1u << 8 * (value % 4);
}

// The sums of row t, which thread t adds up beginning at word t, so that lanes use
// different banks. Two sums of 16 bits fit a word: 64 times 255 is less than 2^16.
template <bool clear_words>
__device__ __forceinline__ uint4 row_sums(unsigned *words)
{
    unsigned even = 0, odd = 0;
    for (unsigned i = 0; i < 64; i++) {
        unsigned at = threadIdx.x * 64 + (i + threadIdx.x) % 64;
        unsigned word = words[at];
        if (clear_words) words[at] = 0;
        even += word & 0xff00ff;
        odd += word >> 8 & 0xff00ff;
    }
    return make_uint4(even & 0xffff, odd & 0xffff, even >> 16, odd >> 16);
}

// Listing 7: four atomics per thread, each with 16 bytes from lane to lane: 16 sectors
// where 4 would do.
template <bool clear_words>
__device__ __forceinline__ void merge_as_printed(unsigned *hist, unsigned *words)
{
    uint4 sums = row_sums<clear_words>(words);
    atomicAdd(hist + threadIdx.x * 4, sums.x);
    atomicAdd(hist + threadIdx.x * 4 + 2, sums.z);
    atomicAdd(hist + threadIdx.x * 4 + 1, sums.y);
    atomicAdd(hist + threadIdx.x * 4 + 3, sums.w);
}

// The same by way of shared memory: neighbouring lanes add to neighbouring bins.
template <bool clear_words>
__device__ __forceinline__ void merge(unsigned *hist, unsigned *words, unsigned *bins)
{
    reinterpret_cast<uint4 *>(bins)[threadIdx.x] = row_sums<clear_words>(words);
    add_bins(hist, bins, 0);
}
// ANCHOR_END: packed

// ANCHOR: histogram_packed_printed
// Listings 5 to 8 without the periodic merge, letter for letter as far as it matters.
// Wrong about it: the last count % 4 bytes are lost; its grid gives a thread 63 bytes
// where 255 are safe, so there are four times as many blocks and merges as need be; and
// the merge's atomics are 16 bytes apart.
extern "C" __global__ void histogram_packed_printed(unsigned *hist, const Byte *in,
                                                    size_t count)
{
    __shared__ unsigned words[64 * 64];
    for (unsigned i = threadIdx.x; i < 64 * 64; i += 64) words[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 64 + threadIdx.x; i < count / 4; i += 64 * gridDim.x) {
        unsigned word = reinterpret_cast<const unsigned *>(in)[i];
        for (int k = 0; k < 4; k++) count_packed(words, word >> 8 * k & 0xff);
    }
    __syncthreads();
    merge_as_printed<false>(hist, words);
}
// ANCHOR_END: histogram_packed_printed

// ANCHOR: histogram_packed
// The same for any number of bytes, with neighbouring bins merged by neighbouring
// lanes.
// Launched with 256 bytes per thread (histogram_packed_256) a bin that counts them all
// carries into the next one: the text says "more than 256 times" and means 255.
// Launched with 252, as it should be, it is right.
extern "C" __global__ void histogram_packed(unsigned *hist, const Byte *in,
                                            size_t count)
{
    __shared__ unsigned words[64 * 64];
    __shared__ __align__(16) unsigned bins[256];
    clear(words, 64 * 64);  // a thread clears its own column: no barrier
    for_each_in_words(in, count, [&](unsigned value) { count_packed(words, value); });
    __syncthreads();
    merge<false>(hist, words, bins);
}
// ANCHOR_END: histogram_packed

// ANCHOR: histogram_periodic_printed
// Listing 8: every 63 rounds the block merges what it has and goes on.
// Wrong about it: no barrier behind the merge: a warp that is done counts in words that
// the other still reads and clears. And the barrier before it is in a loop that not all
// threads leave in the same round.
extern "C" __global__ void histogram_periodic_printed(unsigned *hist, const Byte *in,
                                                      size_t count)
{
    __shared__ unsigned words[64 * 64];
    for (unsigned i = threadIdx.x; i < 64 * 64; i += 64) words[i] = 0;
    __syncthreads();
    int rounds = 0;
    for (int i = blockIdx.x * 64 + threadIdx.x; i < count / 4; i += 64 * gridDim.x) {
        unsigned word = reinterpret_cast<const unsigned *>(in)[i];
        for (int k = 0; k < 4; k++) count_packed(words, word >> 8 * k & 0xff);
        rounds += 1;
        if (rounds >= 252 / 4) {
            rounds = 0;
            __syncthreads();
            merge_as_printed<true>(hist, words);
        }
    }
    __syncthreads();
    merge_as_printed<false>(hist, words);
}
// ANCHOR_END: histogram_periodic_printed

// ANCHOR: histogram_periodic
// All threads of the block make the same rounds, and none counts on before all rows
// are merged.
// Wrong about it: 16 KiB for 64 threads is room for 12 blocks, 24 of 64 warps, on an
// SM.
// Right about it: two wavefronts per 32 bytes, a load and a store, for every image
// there is.
extern "C" __global__ void histogram_periodic(unsigned *hist, const Byte *in,
                                              size_t count)
{
    __shared__ unsigned words[64 * 64];
    __shared__ __align__(16) unsigned bins[256];
    const unsigned *in4 = reinterpret_cast<const unsigned *>(in);
    size_t stride = size_t(gridDim.x) * 64;

    clear(words, 64 * 64);  // a thread clears its own column: no barrier
    for (size_t first = size_t(blockIdx.x) * 64; first < count / 4;) {
        for (int round = 0; round < 63 && first < count / 4; round++, first += stride) {
            if (first + threadIdx.x < count / 4) {
                unsigned word = in4[first + threadIdx.x];
                for (int k = 0; k < 4; k++) count_packed(words, word >> 8 * k & 0xff);
            }
        }
        __syncthreads();
        merge<true>(hist, words, bins);  // all rows are clear behind the barrier in it
    }
    if (blockIdx.x == 0 && threadIdx.x < count % 4)
        atomicAdd(hist + in[count / 4 * 4 + threadIdx.x], 1u);
}
// ANCHOR_END: histogram_periodic

// ANCHOR: histogram_spill
// 7 bits count; the thread that sets the eighth empties the bin into the result.
// Wrong about it: a branch per byte, and an atomic in global memory per 128 of them.
// Right about it: no limit on a thread's bytes, and no merge in between. The article
// found it too slow.
extern "C" __global__ void histogram_spill(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned words[64 * 64];
    __shared__ __align__(16) unsigned bins[256];
    clear(words, 64 * 64);  // a thread clears its own column: no barrier
    for_each_in_words(in, count, [&](unsigned value) {
        unsigned shift = 8 * (value % 4), at = value / 4 * 64 + threadIdx.x;
        unsigned word = words[at] + (1u << shift);
        if (word >> shift & 0x80) {
            word -= 0x80u << shift;
            atomicAdd(hist + value, 0x80u);
        }
        words[at] = word;
    });
    __syncthreads();
    merge<false>(hist, words, bins);
}
// ANCHOR_END: histogram_spill

// ANCHOR: copies
// `copies` histograms for the block in columns: lane l counts in column l % copies.
// With 32 of them a lane's bins are all in its own bank. Unlike figure 6 the words are
// shared by the warps of a block, so it takes atomics; and they never wait for another
// lane.
template <unsigned copies>
__device__ __forceinline__ void count_in_copies(unsigned *hist, const Byte *in,
                                                size_t count)
{
    __shared__ unsigned bins[256 * copies];
    clear(bins, 256 * copies);
    __syncthreads();
    for_each_in_words(in, count, [&](unsigned value) {
        atomicAdd(bins + value * copies + threadIdx.x % copies, 1u);
    });
    __syncthreads();
    unsigned sum = 0;
    // Rotated by lane: without it, all lanes of a warp would read from one bank.
    for (unsigned i = 0; i < copies; i++)
        sum += bins[threadIdx.x * copies + (threadIdx.x + i) % copies];
    atomicAdd(hist + threadIdx.x, sum);
}

// Copies against conflicts: how many does it take?
// Wrong about 2, 4 and 8: random bytes meet as often as in one histogram, since 256
// bins are spread over all banks already.
// Right about 32: one wavefront for every image, for 32 KiB of shared memory.
extern "C" __global__ void histogram_copies2(unsigned *hist, const Byte *in,
                                             size_t count)
{
    count_in_copies<2>(hist, in, count);
}

extern "C" __global__ void histogram_copies4(unsigned *hist, const Byte *in,
                                             size_t count)
{
    count_in_copies<4>(hist, in, count);
}

extern "C" __global__ void histogram_copies8(unsigned *hist, const Byte *in,
                                             size_t count)
{
    count_in_copies<8>(hist, in, count);
}

extern "C" __global__ void histogram_copies16(unsigned *hist, const Byte *in,
                                              size_t count)
{
    count_in_copies<16>(hist, in, count);
}

extern "C" __global__ void histogram_copies32(unsigned *hist, const Byte *in,
                                              size_t count)
{
    count_in_copies<32>(hist, in, count);
}
// ANCHOR_END: copies

// ANCHOR: vectors
// Hands a block's bytes to `add`, sixteen per load. The next vector is on its way while
// `add` works on this one. What does not fill a vector goes to `rest`, byte by byte.
template <typename Add, typename Rest>
__device__ __forceinline__ void for_each_vector(const Byte *in, size_t count, Add add,
                                                Rest rest)
{
    const uint4 *in16 = reinterpret_cast<const uint4 *>(in);
    size_t vectors = count / 16, i = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    uint4 next;
    if (i < vectors) next = __ldcs(in16 + i);
    while (i < vectors) {
        uint4 v = next;
        i += size_t(gridDim.x) * blockDim.x;
        if (i < vectors) next = __ldcs(in16 + i);
        add(v);
    }
    if (blockIdx.x == 0 && threadIdx.x < count % 16)
        rest(unsigned(in[vectors * 16 + threadIdx.x]));
}
// ANCHOR_END: vectors

// ANCHOR: histogram_runs
// A thread takes sixteen bytes in a row and adds a run of equal ones at once.
// Wrong about it: on random bytes nearly every run is one byte long, and looking for
// runs is work. Lanes that add a number to one word are serialised, unlike lanes that
// add one to it.
// Right about it: on a constant image one atomic per sixteen bytes is left, on a sorted
// one hardly more.
extern "C" __global__ void histogram_runs(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned bins[256];
    clear(bins, 256);
    __syncthreads();
    for_each_vector(
        in, count,
        [&](uint4 v) {
            unsigned words[4] = {v.x, v.y, v.z, v.w};
            unsigned value = v.x & 0xff, length = 1;
            for (int k = 1; k < 16; k++) {
                unsigned next = words[k / 4] >> 8 * (k % 4) & 0xff;
                if (next != value) {
                    atomicAdd(bins + value, length);
                    value = next;
                    length = 0;
                }
                length += 1;
            }
            atomicAdd(bins + value, length);
        },
        [&](unsigned value) { atomicAdd(bins + value, 1u); });
    add_bins(hist, bins, 0);
}
// ANCHOR_END: histogram_runs

// ANCHOR: histogram_match
// `match` tells a lane which others have its value; the first of them adds for all.
// Wrong about it: it takes about as long as the atomics that it saves, and on random
// bytes it saves one in seventeen.
// Right about it: as many atomics as the warp has different values: one for a constant
// image.
extern "C" __global__ void histogram_match(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned bins[256];
    clear(bins, 256);
    __syncthreads();
    for (size_t first = size_t(blockIdx.x) * blockDim.x; first < count;
         first += size_t(gridDim.x) * blockDim.x) {
        size_t i = first + threadIdx.x;
        unsigned value = i < count ? in[i] : 256;  // 256 is no byte's value
        unsigned peers = __match_any_sync(~0u, value);
        if (value < 256 && __ffs(peers) - 1 == threadIdx.x % 32)
            atomicAdd(bins + value, __popc(peers));
    }
    add_bins(hist, bins, 0);
}
// ANCHOR_END: histogram_match

// ANCHOR: lanes
// Counts in 32 columns, one per lane; bin b of lane l is word 32 b + l.
__device__ __forceinline__ void count_by_lane(unsigned *bins, const Byte *in,
                                              size_t count)
{
    unsigned lane = threadIdx.x % 32;
    clear(bins, 256 * 32);
    __syncthreads();
    for_each_vector(
        in, count,
        [&](uint4 v) {
            unsigned words[4] = {v.x, v.y, v.z, v.w};
            for (int k = 0; k < 16; k++)
                atomicAdd(bins + ((words[k / 4] >> 8 * (k % 4) & 0xff) * 32 | lane),
                          1u);
        },
        [&](unsigned value) { atomicAdd(bins + (value * 32 | lane), 1u); });
    __syncthreads();
}

// The sum of a bin: four threads per bin with eight words each; a shuffle or two brings
// them together.
__device__ __forceinline__ unsigned sum_of_lanes(const unsigned *bins, unsigned bin)
{
    unsigned sum = 0;
    for (unsigned i = 0; i < 8; i++)
        sum += bins[bin * 32 + (threadIdx.x % 4 * 8 + i + bin) % 32];
    sum += __shfl_xor_sync(~0u, sum, 1);
    return sum + __shfl_xor_sync(~0u, sum, 2);
}
// ANCHOR_END: lanes

// ANCHOR: histogram_lanes
// 32 columns as in histogram_copies32, 16 bytes per load, 1024 threads: two blocks fill
// an SM, for 64 KiB of bins.
// Better: a byte costs a shift, a mask and one wavefront of a shared atomic, for every
// image; memory is the limit. The column of figure 6 was right; what it lacked was an
// atomic that is as cheap as an addition, which came with Maxwell (2014).
extern "C" __global__ void __launch_bounds__(1024, 2)
    histogram_lanes(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned bins[256 * 32];
    count_by_lane(bins, in, count);
    unsigned bin = threadIdx.x / 4, sum = sum_of_lanes(bins, bin);
    if (threadIdx.x % 4 == 0) atomicAdd(hist + bin, sum);
}
// ANCHOR_END: histogram_lanes

// ANCHOR: bulk
// Has the TMA add `words` words of shared memory, a multiple of 4, to as many
// in global memory. All threads of the block have written some of them, with ordinary
// stores, which the engine must be told to look behind.
__device__ __forceinline__ void add_in_bulk(unsigned *to, const unsigned *from,
                                            unsigned words)
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (threadIdx.x != 0) return;
    asm volatile(
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], %2;" ::
            "l"(__cvta_generic_to_global(to)),
        "r"(unsigned(__cvta_generic_to_shared(from))), "r"(4 * words)
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    // A block's shared memory must be there until it has been read.
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}
// ANCHOR_END: bulk

// ANCHOR: histogram_bulk
// histogram_lanes, whose 256 atomics per block become one instruction of one thread:
// the tensor memory accelerator (TMA) adds 1 KiB.
// Better: no warp waits for addresses and atomics. Wrong about it: there was next to
// nothing to win, because a block merges once after megabytes; and the sums go through
// shared memory and a barrier first.
extern "C" __global__ void __launch_bounds__(1024, 2)
    histogram_bulk(unsigned *hist, const Byte *in, size_t count)
{
    __shared__ unsigned bins[256 * 32];
    __shared__ alignas(16) unsigned sums[256];
    count_by_lane(bins, in, count);
    unsigned bin = threadIdx.x / 4, sum = sum_of_lanes(bins, bin);
    if (threadIdx.x % 4 == 0) sums[bin] = sum;
    add_in_bulk(hist, sums, 256);
}
// ANCHOR_END: histogram_bulk

// ANCHOR: histogram_many
// More values than 256, in elements of two bytes: `bins` words of dynamic shared
// memory, at most 58,112 on an H200 (227 KiB per block).
// Wrong about it: one block with 200 KiB fills an SM and leaves it half empty.
// Right about it: the queue stays in shared memory, where others go back to global
// memory. `in` holds values below `bins`.
extern "C" __global__ void histogram_many(unsigned *hist, const unsigned short *in,
                                          size_t count, unsigned bins)
{
    extern __shared__ unsigned own[];
    clear(own, bins);
    __syncthreads();
    for_each(in, count, [&](unsigned value) { atomicAdd(own + value, 1u); });
    __syncthreads();
    for (unsigned i = threadIdx.x; i < bins; i += blockDim.x)
        if (own[i] != 0) atomicAdd(hist + i, own[i]);
}
// ANCHOR_END: histogram_many

// ANCHOR: histogram_many_bulk
// histogram_many, whose loop of atomics over all bins is one instruction; up to three
// bins that do not fill 16 bytes remain.
// Better: with 40 thousand bins the merge is as long as the count of a small image, and
// no thread has a part in it.
// Wrong about it: the TMA adds the zeros, too, which histogram_many leaves out.
extern "C" __global__ void histogram_many_bulk(unsigned *hist, const unsigned short *in,
                                               size_t count, unsigned bins)
{
    extern __shared__ __align__(16) unsigned aligned[];
    clear(aligned, bins);
    __syncthreads();
    for_each(in, count, [&](unsigned value) { atomicAdd(aligned + value, 1u); });
    __syncthreads();
    unsigned rest = bins / 4 * 4 + threadIdx.x;
    if (rest < bins) atomicAdd(hist + rest, aligned[rest]);
    add_in_bulk(hist, aligned, bins / 4 * 4);
}
// ANCHOR_END: histogram_many_bulk
