// Radix sort: an array of keys in ascending order, in ten versions. A digit at a time,
// from the least significant to the most; every pass keeps the order of keys with the
// same digit, so that the passes before it are not lost.
// warpbook: arch=compute_80
//
// After Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for
// Manycore GPUs" (2009), Ashkiani and others, "GPU Multisplit" (2016), and Adinets and
// Merrill, "Onesweep" (2022), in our own code. What each version changes:
//
//    1  radix_three_4          digits of 4 bits: count, scan and scatter, a launch
//                              each, eight times
//    2  radix_three_8          digits of 8 bits: four times
//    3  radix_local_ballots    a tile is sorted in shared memory before it is
//                              scattered: runs instead of single keys
//    4  radix_local_match      the same; lanes with the same digit find each other by
//                              one instruction
//    5  radix_local_or         the same; they find each other by a word of shared
//                              memory per digit
//    6  radix_onesweep         one launch per digit: a tile looks back for the number
//                              of keys before its own
//    7  radix_onesweep_small   the same with tiles of 256 keys
//    8  radix_onesweep_i32     the same with keys of type int
//    9  radix_onesweep_f32     the same with keys of type float
//   10  radix_onesweep_pairs   the same with a value beside each key
//
// Versions 1 to 5 are, for each digit, a launch of `radix_count_4` or `radix_count_8`
// (one thread block per tile), one of `radix_scan` (one warp per value of the digit)
// and one of the kernel that the version is named after. Versions 6 to 10 are a launch
// of `radix_histogram_u32`, `_i32` or `_f32` and then, for each digit, one of the
// kernel.
//
// Launch: versions 1 to 5 and `radix_count` in blocks of 256 threads, one per 4096
// keys. `radix_histogram` in any number of blocks of 1024 threads, with 128 KiB of
// dynamic shared memory, and `histograms` must be zero before. The kernels of a single
// pass: see there. All arrays of keys begin at multiples of 16 bytes, as every
// allocation does.
//
// The CPU reference is `kernels/src/problem/radix_sort.rs`.

// ANCHOR: lanes
__device__ __forceinline__ unsigned lane_index() { return threadIdx.x % 32; }
__device__ __forceinline__ unsigned lanes_below() { return (1u << lane_index()) - 1; }

// The sum of a value over the lanes before this one and this one itself.
__device__ __forceinline__ unsigned warp_prefix(unsigned value)
{
    for (unsigned offset = 1; offset < 32; offset *= 2) {
        unsigned before = __shfl_up_sync(~0u, value, offset);
        if (lane_index() >= offset) value += before;
    }
    return value;
}

// The sum over the threads before this one, of the first DIGITS threads of the block;
// the others pass 0. All threads of the block call it, and each of two calls in a row
// needs its own `sums`.
template <unsigned DIGITS>
__device__ __forceinline__ unsigned sum_before(unsigned value, unsigned (&sums)[8])
{
    unsigned warp = threadIdx.x / 32, end = warp_prefix(value), before = end - value;
    if constexpr (DIGITS > 32) {
        if (threadIdx.x % 32 == 31 && threadIdx.x < DIGITS) sums[warp] = end;
        __syncthreads();
        for (unsigned w = 0; w < DIGITS / 32 - 1; w++)
            if (w < warp) before += sums[w];
    }
    return before;
}
// ANCHOR_END: lanes

// ANCHOR: keys
// Keys become unsigned numbers of the same order. An int's sign bit is inverted.
// So is a float's, and all other bits of a negative float: the order is that of
// IEEE 754's totalOrder, -NaN, -infinity, ..., -0, +0, ..., infinity, NaN.
__device__ __forceinline__ unsigned to_bits(unsigned key) { return key; }
__device__ __forceinline__ unsigned to_bits(int key)
{
    return unsigned(key) ^ 0x80000000;
}
__device__ __forceinline__ unsigned to_bits(float key)
{
    unsigned bits = __float_as_uint(key);
    return bits ^ (unsigned(int(bits) >> 31) | 0x80000000);
}

__device__ __forceinline__ void from_bits(unsigned bits, unsigned &key) { key = bits; }
__device__ __forceinline__ void from_bits(unsigned bits, int &key)
{
    key = int(bits ^ 0x80000000);
}
__device__ __forceinline__ void from_bits(unsigned bits, float &key)
{
    key = __uint_as_float(bits ^ (unsigned(int(~bits) >> 31) | 0x80000000));
}
// ANCHOR_END: keys

// ANCHOR: ranks
// How lanes with the same digit find each other.
enum Ranking { BALLOTS, MATCH, OR };

// One ballot per bit: a lane's peers voted as it did, every time. Written in C++, the
// choice between the votes and their complement becomes seven instructions per bit; so
// it becomes two and a half, and the ballot.
template <unsigned BITS>
__device__ __forceinline__ unsigned peers_by_ballots(unsigned digit)
{
    unsigned votes[BITS], peers = ~0u;
#pragma unroll
    for (unsigned bit = 0; bit < BITS; bit++)
        asm volatile(
            "{ .reg .pred one; and.b32 %0, %1, %2; setp.ne.u32 one, %0, 0;"
            " vote.sync.ballot.b32 %0, one, 0xffffffff; @!one not.b32 %0, %0; }"
            : "=r"(votes[bit])
            : "r"(digit), "r"(1u << bit));
#pragma unroll
    for (unsigned bit = 0; bit < BITS;
         bit += 2)  // 0x80 is the truth table of a & b & c
        asm("lop3.b32 %0, %0, %1, %2, 0x80;"
            : "+r"(peers)
            : "r"(votes[bit]), "r"(votes[bit + 1]));
    return peers;
}

// For each of a lane's keys, the number of keys of its warp with the same digit that
// come before it; a warp's keys are in the order of their index, and in that of lanes
// for the same index. `counts` and, for OR, `masks` are shared memory of this warp
// alone, a word per digit, zero before; afterwards `counts` holds how often each digit
// occurs.
template <Ranking HOW, unsigned BITS, unsigned ITEMS>
__device__ __forceinline__ void rank_warp(unsigned (&rank)[ITEMS],
                                          const unsigned (&key)[ITEMS], unsigned shift,
                                          unsigned *counts, unsigned *masks)
{
#pragma unroll
    for (unsigned k = 0; k < ITEMS; k++) {
        unsigned digit = key[k] >> shift & (1 << BITS) - 1, peers;
        if (HOW == BALLOTS) peers = peers_by_ballots<BITS>(digit);
        if (HOW == MATCH) peers = __match_any_sync(~0u, digit);
        if (HOW == OR) {
            atomicOr(masks + digit, 1u << lane_index());
            __syncwarp();
            peers = masks[digit];
        }
        rank[k] = counts[digit] + __popc(peers & lanes_below());
        // Added up here and now; the compiler would put it off and keep two numbers per
        // key.
        asm volatile("" : "+r"(rank[k]));
        __syncwarp();
        if (peers >> lane_index() == 1) {  // the last of its peers
            counts[digit] = rank[k] + 1;
            if (HOW == OR) masks[digit] = 0;
        }
        __syncwarp();
    }
}
// ANCHOR_END: ranks

// ANCHOR: tiles
// A tile of keys, of which a warp has 32 * ITEMS in a row; each of its loads takes 32.
// Behind the end of the array are keys with the greatest digit, which come after all
// others of their tile.
template <typename Key, unsigned ITEMS>
__device__ __forceinline__ void load_tile(unsigned (&key)[ITEMS], const Key *in,
                                          unsigned left)
{
    unsigned own = threadIdx.x / 32 * (32 * ITEMS) + lane_index();
    if (left >= blockDim.x * ITEMS) {
        for (unsigned k = 0; k < ITEMS; k++) key[k] = to_bits(in[own + 32 * k]);
    } else {
        for (unsigned k = 0; k < ITEMS; k++)
            key[k] = own + 32 * k < left ? to_bits(in[own + 32 * k]) : ~0u;
    }
}
// ANCHOR_END: tiles

// ANCHOR: radix_count
// First launch of three: how often each value of the digit occurs in each tile. All
// tiles of one value lie side by side.
constexpr unsigned THREADS = 256, ITEMS = 16, TILE = THREADS * ITEMS;

template <unsigned BITS>
__device__ __forceinline__ void count_tile(unsigned *counts, const unsigned *in,
                                           unsigned count, unsigned shift)
{
    constexpr unsigned DIGITS = 1 << BITS;
    __shared__ unsigned of_digit[DIGITS];
    unsigned t = threadIdx.x, first = blockIdx.x * TILE;

    if (t < DIGITS) of_digit[t] = 0;
    __syncthreads();
    for (unsigned k = 0; k < ITEMS; k++) {
        unsigned i = first + k * THREADS + t;
        if (i < count) atomicAdd(&of_digit[in[i] >> shift & DIGITS - 1], 1u);
    }
    __syncthreads();
    if (t < DIGITS) counts[size_t(t) * gridDim.x + blockIdx.x] = of_digit[t];
}

extern "C" __global__ void radix_count_4(unsigned *counts, const unsigned *in,
                                         unsigned count, unsigned shift)
{
    count_tile<4>(counts, in, count, shift);
}

extern "C" __global__ void radix_count_8(unsigned *counts, const unsigned *in,
                                         unsigned count, unsigned shift)
{
    count_tile<8>(counts, in, count, shift);
}
// ANCHOR_END: radix_count

// ANCHOR: radix_scan
// Second launch: for each value of the digit, a warp turns the tiles' counts into the
// number of keys in the tiles before. What comes before the whole value, the third
// launch adds up from `totals`.
extern "C" __global__ void radix_scan(unsigned *counts, unsigned *totals,
                                      unsigned tiles)
{
    constexpr unsigned LOADS = 8;
    unsigned digit = (blockIdx.x * blockDim.x + threadIdx.x) / 32, carry = 0;
    counts += size_t(digit) * tiles;

    for (unsigned first = lane_index(); first - lane_index() < tiles;
         first += 32 * LOADS) {
        unsigned own[LOADS];
        for (unsigned k = 0; k < LOADS; k++)
            own[k] = first + 32 * k < tiles ? counts[first + 32 * k] : 0;
        for (unsigned k = 0; k < LOADS; k++) {
            unsigned end = warp_prefix(own[k]);
            if (first + 32 * k < tiles) counts[first + 32 * k] = carry + end - own[k];
            carry += __shfl_sync(~0u, end, 31);
        }
    }
    if (lane_index() == 0) totals[digit] = carry;
}
// ANCHOR_END: radix_scan

// ANCHOR: radix_three
// Third launch: a key's place is the first of its digit, plus those of its digit in the
// tiles before, in the warps before, and before it in its warp.
template <unsigned BITS>
__device__ __forceinline__ void
scatter_tile(unsigned *out, const unsigned *in, const unsigned *counts,
             const unsigned *totals, unsigned count, unsigned shift)
{
    constexpr unsigned DIGITS = 1 << BITS, WARPS = THREADS / 32;
    __shared__ unsigned of_warp[WARPS][DIGITS], sums[8];
    unsigned t = threadIdx.x, warp = t / 32, first = blockIdx.x * TILE,
             left = count - first;
    unsigned key[ITEMS], rank[ITEMS];

    for (unsigned digit = lane_index(); digit < DIGITS; digit += 32)
        of_warp[warp][digit] = 0;
    __syncwarp();
    load_tile(key, in + first, left);
    rank_warp<BALLOTS, BITS>(rank, key, shift, of_warp[warp], nullptr);
    unsigned place = sum_before<DIGITS>(t < DIGITS ? totals[t] : 0, sums);
    if (DIGITS <= 32) __syncthreads();
    if (t < DIGITS) {
        place += counts[size_t(t) * gridDim.x + blockIdx.x];
        for (unsigned w = 0; w < WARPS; w++) {
            unsigned own = of_warp[w][t];
            of_warp[w][t] = place;
            place += own;
        }
    }
    __syncthreads();
    for (unsigned k = 0; k < ITEMS; k++)
        if (warp * 32 * ITEMS + 32 * k + lane_index() < left)
            out[of_warp[warp][key[k] >> shift & DIGITS - 1] + rank[k]] = key[k];
}

// Four bits at a time.
// Wrong about it: three launches and 12 bytes per key for each of eight digits, and
// neighbours in a warp part for sixteen places.
// Right about it: 96 bytes per key instead of the 256 that one bit at a time would
// move.
extern "C" __global__ void radix_three_4(unsigned *out, const unsigned *in,
                                         const unsigned *counts, const unsigned *totals,
                                         unsigned count, unsigned shift)
{
    scatter_tile<4>(out, in, counts, totals, count, shift);
}

// Eight bits at a time.
// Wrong about it: the 32 keys of a store go to nearly as many places, and each takes a
// sector of 32 bytes for 4.
// Right about it: half the passes, 48 bytes per key. With random keys it takes as long
// as four bits at a time all the same: what it saves it pays in sectors.
extern "C" __global__ void radix_three_8(unsigned *out, const unsigned *in,
                                         const unsigned *counts, const unsigned *totals,
                                         unsigned count, unsigned shift)
{
    scatter_tile<8>(out, in, counts, totals, count, shift);
}
// ANCHOR_END: radix_three

// ANCHOR: radix_local
// The tile is sorted by its digit in shared memory first. Keys of one digit then lie
// side by side there and in `out`.
template <Ranking HOW>
__device__ __forceinline__ void
scatter_sorted(unsigned *out, const unsigned *in, const unsigned *counts,
               const unsigned *totals, unsigned count, unsigned shift)
{
    constexpr unsigned DIGITS = 256, WARPS = THREADS / 32;
    __shared__ unsigned of_warp[WARPS][DIGITS], stage[TILE], offsets[DIGITS],
        sums[2][8];
    unsigned t = threadIdx.x, warp = t / 32, first = blockIdx.x * TILE,
             left = count - first;
    unsigned *masks = stage + warp * DIGITS;  // the stage is not needed yet
    unsigned key[ITEMS], rank[ITEMS];

    for (unsigned digit = lane_index(); digit < DIGITS; digit += 32) {
        of_warp[warp][digit] = 0;
        if (HOW == OR) masks[digit] = 0;
    }
    __syncwarp();
    load_tile(key, in + first, left);
    rank_warp<HOW, 8>(rank, key, shift, of_warp[warp], masks);
    unsigned place =
        sum_before<DIGITS>(totals[t], sums[0]);  // and every warp has counted
    unsigned own = 0;
    for (unsigned w = 0; w < WARPS; w++) own += of_warp[w][t];
    unsigned start = sum_before<DIGITS>(own, sums[1]);
    offsets[t] = place + counts[size_t(t) * gridDim.x + blockIdx.x] - start;
    for (unsigned w = 0; w < WARPS; w++) {
        own = of_warp[w][t];
        of_warp[w][t] = start;
        start += own;
    }
    __syncthreads();
    for (unsigned k = 0; k < ITEMS; k++)
        stage[of_warp[warp][key[k] >> shift & DIGITS - 1] + rank[k]] = key[k];
    __syncthreads();
    for (unsigned j = t; j < TILE && j < left; j += THREADS)
        out[offsets[stage[j] >> shift & DIGITS - 1] + j] = stage[j];
}

// Lanes with the same digit find each other by eight ballots.
// Wrong about it: still three launches and 12 bytes per key and digit; the tile is read
// twice.
// Right about it: a run of k keys touches at most k / 8 + 2 sectors; random digits make
// runs of 16.
extern "C" __global__ void radix_local_ballots(unsigned *out, const unsigned *in,
                                               const unsigned *counts,
                                               const unsigned *totals, unsigned count,
                                               unsigned shift)
{
    scatter_sorted<BALLOTS>(out, in, counts, totals, count, shift);
}

// By `match.any`.
// Wrong about it: with random digits the one instruction takes longer than the eight
// ballots and what goes with them.
// Right about it: the fewest instructions of the three, and the fastest where nearly
// all digits are alike.
extern "C" __global__ void radix_local_match(unsigned *out, const unsigned *in,
                                             const unsigned *counts,
                                             const unsigned *totals, unsigned count,
                                             unsigned shift)
{
    scatter_sorted<MATCH>(out, in, counts, totals, count, shift);
}

// By a word of shared memory per digit, in which every lane sets its bit.
// Wrong about it: three accesses to shared memory more per key, with the conflicts that
// the digits make.
// Right about it: it costs the same for digits of any width.
extern "C" __global__ void radix_local_or(unsigned *out, const unsigned *in,
                                          const unsigned *counts,
                                          const unsigned *totals, unsigned count,
                                          unsigned shift)
{
    scatter_sorted<OR>(out, in, counts, totals, count, shift);
}
// ANCHOR_END: radix_local

// ANCHOR: radix_histogram
// The passes do not change how often each value of each digit occurs: one read of the
// keys counts all four digits. Every lane has a column of its own in shared memory, so
// an addition takes one wavefront, whatever the keys are. The kernel also clears
// `state`, `words` ints that the passes need, and adds to `histograms`, 4 times 256
// ints.
constexpr unsigned PASSES = 4;

template <typename Key>
__device__ __forceinline__ void count_key(unsigned *counters, Key key)
{
    unsigned bits = to_bits(key);
    for (unsigned pass = 0; pass < PASSES; pass++)
        atomicAdd(counters + pass * 256 * 32 + (bits >> 8 * pass & 255) * 32 +
                      lane_index(),
                  1u);
}

template <typename Key, typename Key4>
__device__ __forceinline__ void histograms_of(unsigned *histograms, unsigned *state,
                                              const Key *keys, unsigned count,
                                              unsigned words)
{
    extern __shared__ unsigned counters[];  // [PASSES][256][32]
    constexpr unsigned LOADS = 4;
    unsigned t = threadIdx.x, own = blockIdx.x * blockDim.x + t,
             all = gridDim.x * blockDim.x;

    for (unsigned i = t; i < PASSES * 256 * 32; i += blockDim.x) counters[i] = 0;
    for (unsigned i = own; i < words; i += all) state[i] = 0;
    __syncthreads();
    const Key4 *fours = reinterpret_cast<const Key4 *>(keys);
    unsigned quarter = count / 4, i = own;
    for (; i < quarter && quarter - i > (LOADS - 1) * all; i += LOADS * all) {
        Key4 four[LOADS];
        for (unsigned k = 0; k < LOADS; k++) four[k] = fours[i + k * all];
        for (unsigned k = 0; k < LOADS; k++) {
            count_key(counters, four[k].x);
            count_key(counters, four[k].y);
            count_key(counters, four[k].z);
            count_key(counters, four[k].w);
        }
    }
    for (; i < quarter; i += all) {
        Key4 four = fours[i];
        count_key(counters, four.x);
        count_key(counters, four.y);
        count_key(counters, four.z);
        count_key(counters, four.w);
    }
    if (own < count % 4) count_key(counters, keys[count - 1 - own]);
    __syncthreads();
    // A warp adds up rows of 32 counters, and keeps row r's sum in lane r.
    for (unsigned row = t / 32 * 32; row < PASSES * 256; row += blockDim.x) {
        unsigned sum = 0;
        for (unsigned r = 0; r < 32; r++) {
            unsigned total =
                __reduce_add_sync(~0u, counters[(row + r) * 32 + lane_index()]);
            if (lane_index() == r) sum = total;
        }
        if (sum != 0) atomicAdd(histograms + row + lane_index(), sum);
    }
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    radix_histogram_u32(unsigned *histograms, unsigned *state, const unsigned *keys,
                        unsigned count, unsigned words)
{
    histograms_of<unsigned, uint4>(histograms, state, keys, count, words);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    radix_histogram_i32(unsigned *histograms, unsigned *state, const int *keys,
                        unsigned count, unsigned words)
{
    histograms_of<int, int4>(histograms, state, keys, count, words);
}

extern "C" __global__ void __launch_bounds__(1024, 1)
    radix_histogram_f32(unsigned *histograms, unsigned *state, const float *keys,
                        unsigned count, unsigned words)
{
    histograms_of<float, float4>(histograms, state, keys, count, words);
}
// ANCHOR_END: radix_histogram

// ANCHOR: look_back
// What a tile tells those after it, a word per digit: 0 is nothing yet; up to TILE + 1,
// one more than how many keys of the tile have the digit; from TILE + 2 on, that much
// more than the place behind the last key of the digit in this tile.
__device__ __forceinline__ void tell(unsigned *at, unsigned word)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(word) : "memory");
}

__device__ __forceinline__ unsigned ask(const unsigned *at)
{
    unsigned word;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];"
                 : "=r"(word)
                 : "l"(at)
                 : "memory");
    return word;
}

// The place of a tile's first key of a digit. The thread of that digit walks back
// through the tiles before, four of them at a time, until one knows everything before
// it; tile 0 always does. `state` is what tile 0 tells about the digit.
template <unsigned TILE>
__device__ __forceinline__ unsigned look_back(const unsigned *state, unsigned tile)
{
    constexpr unsigned AHEAD = 4;
    unsigned before = 0, word[AHEAD];
    for (;;) {
        for (unsigned k = 0; k < AHEAD; k++)
            word[k] = ask(state + size_t(tile > k ? tile - 1 - k : 0) * 256);
        for (unsigned k = 0; k < AHEAD; k++) {
            tile--;
            while (word[k] == 0) word[k] = ask(state + size_t(tile) * 256);
            before += word[k] - 1;
            if (word[k] > TILE + 1) return before - (TILE + 1);
        }
    }
}
// ANCHOR_END: look_back

// ANCHOR: radix_onesweep
// One launch per digit. A tile is read once, sorted by its digit in shared memory, and
// scattered as soon as the tiles before have told how many keys of each digit they
// hold: 8 bytes per key and digit, and 4 bytes once for the histograms. `state` is, at
// its beginning, a ticket for each pass, and from its 16th word on 256 words for each
// tile of each pass. Tiles are numbered by tickets: a tile waits only for tiles whose
// blocks have started.
//
// Launch: max(1, ceil(count / (THREADS * ITEMS))) blocks of THREADS threads,
// with 4 * (THREADS * ITEMS + 8 * THREADS) bytes of dynamic shared memory.
template <typename Key, unsigned THREADS, unsigned ITEMS, bool PAIRS>
__device__ __forceinline__ void
sweep(Key *out, unsigned *values_out, const Key *in, const unsigned *values_in,
      const unsigned *histograms, unsigned *state, unsigned count, unsigned pass)
{
    constexpr unsigned DIGITS = 256, WARPS = THREADS / 32, TILE = THREADS * ITEMS;
    extern __shared__ unsigned stage[];
    unsigned *of_warp = stage + TILE;  // [WARPS][DIGITS]
    __shared__ unsigned offsets[DIGITS], sums[2][8], ticket;
    unsigned t = threadIdx.x, warp = t / 32, shift = 8 * pass;
    unsigned key[ITEMS], rank[ITEMS];

    if (t == 0) ticket = atomicAdd(state + pass, 1u);
    for (unsigned digit = lane_index(); digit < DIGITS; digit += 32)
        of_warp[warp * DIGITS + digit] = 0;
    __syncthreads();
    unsigned tile = ticket, left = count - tile * TILE;
    in += size_t(tile) * TILE;
    state += 16 + size_t(pass) * gridDim.x * DIGITS + t % DIGITS;
    load_tile(key, in, left);
    rank_warp<BALLOTS, 8>(rank, key, shift, of_warp + warp * DIGITS, nullptr);
    __syncthreads();
    // From here on the compiler knows nothing about `shift`: it would keep the
    // addresses of all counters, and spill.
    asm volatile("" : "+r"(shift));

    unsigned own = 0;
    if (t < DIGITS) {
        for (unsigned w = 0; w < WARPS; w++) own += of_warp[w * DIGITS + t];
        if (tile != 0) tell(state + size_t(tile) * DIGITS, own + 1);
    }
    unsigned start = sum_before<DIGITS>(own, sums[0]);
    if (t < DIGITS) {
        unsigned place = start;
        for (unsigned w = 0; w < WARPS; w++) {
            unsigned of_digit = of_warp[w * DIGITS + t];
            of_warp[w * DIGITS + t] = place;
            place += of_digit;
        }
    }
    __syncthreads();
    for (unsigned k = 0; k < ITEMS; k++) {
        rank[k] += of_warp[warp * DIGITS + (key[k] >> shift & DIGITS - 1)];
        stage[rank[k]] = key[k];
    }

    unsigned before = 0;
    if (tile == 0)
        before =
            sum_before<DIGITS>(t < DIGITS ? histograms[pass * DIGITS + t] : 0, sums[1]);
    else if (t < DIGITS)
        before = look_back<TILE>(state, tile);
    if (t < DIGITS) {
        tell(state + size_t(tile) * DIGITS, before + own + TILE + 2);
        offsets[t] = before - start;
    }
    __syncthreads();
    unsigned place[ITEMS];
    if (left >= TILE) {  // no branches; more than four stores at once would keep all
                         // others waiting
#pragma unroll(PAIRS ? ITEMS : 4)
        for (unsigned k = 0; k < ITEMS; k++) {
            unsigned j = k * THREADS + t, bits = stage[j];
            place[k] = offsets[bits >> shift & DIGITS - 1] + j;
            from_bits(bits, out[place[k]]);
        }
    } else {
#pragma unroll(PAIRS ? ITEMS : 1)
        for (unsigned k = 0; k < ITEMS; k++) {
            unsigned j = k * THREADS + t, bits = stage[j];
            place[k] = offsets[bits >> shift & DIGITS - 1] + j;
            if (j < left) from_bits(bits, out[place[k]]);
        }
    }
    if (PAIRS) {
        unsigned own_first = warp * 32 * ITEMS + lane_index();
        values_in += size_t(tile) * TILE + own_first;
        for (unsigned k = 0; k < ITEMS; k++)
            key[k] = own_first + 32 * k < left ? values_in[32 * k] : 0;
        __syncthreads();
        for (unsigned k = 0; k < ITEMS; k++) stage[rank[k]] = key[k];
        __syncthreads();
        for (unsigned k = 0; k < ITEMS; k++) {
            unsigned j = k * THREADS + t;
            if (j < left) values_out[place[k]] = stage[j];
        }
    }
}
// Eight bits per launch, every key read and written once.
// Wrong about it: a block's threads wait for each other at every step, and two blocks
// per SM hardly hide it.
// Right about it: 36 bytes per key for the whole sort, against 48 of the best that goes
// by three launches.
constexpr unsigned SWEEP_THREADS = 384, SWEEP_ITEMS = 32;

extern "C" __global__ void __launch_bounds__(SWEEP_THREADS, 2)
    radix_onesweep(unsigned *out, const unsigned *in, const unsigned *histograms,
                   unsigned *state, unsigned count, unsigned pass)
{
    sweep<unsigned, SWEEP_THREADS, SWEEP_ITEMS, false>(out, nullptr, in, nullptr,
                                                       histograms, state, count, pass);
}

// With tiles of 256 keys.
// Wrong about it: what a tile tells is as long as the tile, so the traffic doubles, and
// the runs are single keys.
// Right about it: many tiles from few keys. It is here to be looked at where they look
// back.
extern "C" __global__ void radix_onesweep_small(unsigned *out, const unsigned *in,
                                                const unsigned *histograms,
                                                unsigned *state, unsigned count,
                                                unsigned pass)
{
    sweep<unsigned, 256, 1, false>(out, nullptr, in, nullptr, histograms, state, count,
                                   pass);
}

// Ints.
// Wrong about it: every pass turns the sign bit, where the last one alone would need
// to.
// Right about it: an instruction per key, and everything else stays as it is.
extern "C" __global__ void __launch_bounds__(SWEEP_THREADS, 2)
    radix_onesweep_i32(int *out, const int *in, const unsigned *histograms,
                       unsigned *state, unsigned count, unsigned pass)
{
    sweep<int, SWEEP_THREADS, SWEEP_ITEMS, false>(out, nullptr, in, nullptr, histograms,
                                                  state, count, pass);
}

// Floats.
// Wrong about it: -0 comes before +0, and NaNs come at both ends, though by `<` none of
// them is less than another.
// Right about it: it is a total order, so the result is one array and no other.
extern "C" __global__ void __launch_bounds__(SWEEP_THREADS, 2)
    radix_onesweep_f32(float *out, const float *in, const unsigned *histograms,
                       unsigned *state, unsigned count, unsigned pass)
{
    sweep<float, SWEEP_THREADS, SWEEP_ITEMS, false>(out, nullptr, in, nullptr,
                                                    histograms, state, count, pass);
}

// A value of 32 bits beside each key.
// Wrong about it: 68 bytes per pair, and two barriers more: keys and values alternate
// in the stage.
// Right about it: values move once per pass, and equal keys keep the order of their
// values.
constexpr unsigned PAIR_THREADS = 384, PAIR_ITEMS = 24;

extern "C" __global__ void __launch_bounds__(PAIR_THREADS, 2)
    radix_onesweep_pairs(unsigned *out, unsigned *values_out, const unsigned *in,
                         const unsigned *values_in, const unsigned *histograms,
                         unsigned *state, unsigned count, unsigned pass)
{
    sweep<unsigned, PAIR_THREADS, PAIR_ITEMS, true>(out, values_out, in, values_in,
                                                    histograms, state, count, pass);
}
// ANCHOR_END: radix_onesweep
