// Sorting chunk by chunk, and merging: unsigned ints in ascending order, in seven
// versions.
// warpbook: arch=compute_80
//
// Batcher's "Sorting Networks and Their Applications" (1968), the radix sort of
// chapter 39 of GPU Gems 3 (2007) with its bitonic merges, and the merge path of Green,
// McColl and Bader (2012), all in our own code. What each version changes:
//
//    1  chunks_bitonic        a network of comparisons in shared memory, the same for
//                             all data
//    2  chunks_odd_even       a network with fewer comparisons
//    3  chunks_split_printed  a radix sort, one bit at a time, by a scan of the bits;
//                             one number is taken as printed:
// wrong
//    4  chunks_split_scan     the same, right
//    5  chunks_split_ballots  a ballot per warp instead of a tree of additions
//    6  merge_bitonic         sorted chunks are merged two by two through networks,
//                             into one sorted array
//    7  merge_path            every thread finds out where in the two chunks its part
//                             of the result begins
//
// Versions 1 to 5 sort every chunk of 512 keys and leave it at that. Versions 6 and 7
// begin with a launch of version 5. Then come, for each length from 1024 on until the
// array is one run: for 6 `merge_flip`, `merge_step` for every distance from length / 4
// down to 512, and `merge_within`, in place; for 7 `merge_places` and `merge_path`,
// from one array to another.
//
// Launch: versions 1 to 4 and `merge_within` in blocks of 256 threads, version 5 in
// blocks of 512, one block per chunk; `merge_path` in blocks of 256 threads, one
// per 1024 keys; `merge_places` with one thread for each of these blocks; `merge_flip`
// and `merge_step` with one thread per pair.
// Arrays begin at multiples of 16 bytes, as every allocation does, and hold at
// most 2^31 keys.
//
// The CPU reference is `kernels/src/problem/merge_sort.rs`.

constexpr unsigned CHUNK = 512;

// ANCHOR: chunks
// A chunk in shared memory. Behind the end of the array are the greatest keys: they
// stay at the end of the chunk.
__device__ __forceinline__ void load_chunk(unsigned *chunk, const unsigned *in,
                                           unsigned count)
{
    unsigned first = blockIdx.x * CHUNK;
    for (unsigned i = threadIdx.x; i < CHUNK; i += blockDim.x)
        chunk[i] = first + i < count ? in[first + i] : ~0u;
}

__device__ __forceinline__ void store_chunk(unsigned *out, const unsigned *chunk,
                                            unsigned count)
{
    unsigned first = blockIdx.x * CHUNK;
    for (unsigned i = threadIdx.x; i < CHUNK && first + i < count; i += blockDim.x)
        out[first + i] = chunk[i];
}

// The smaller of two keys comes to the left.
__device__ __forceinline__ void compare(unsigned *left, unsigned *right)
{
    unsigned a = *left, b = *right;
    *left = min(a, b);
    *right = max(a, b);
}
// ANCHOR_END: chunks

// ANCHOR: chunks_bitonic
// The pair of a thread when both halves of `length` keys are sorted: the first with the
// last, the second with the last but one. Afterwards no key of the left half is greater
// than one of the right, and each half is bitonic.
__device__ __forceinline__ unsigned left_of_flip(unsigned pair, unsigned length)
{
    return pair / (length / 2) * length + pair % (length / 2);
}

// The pair of a thread when keys `distance` apart are compared.
__device__ __forceinline__ unsigned left_of_step(unsigned pair, unsigned distance)
{
    return 2 * pair - pair % distance;
}

// Sorts a chunk whose halves of halves of ... of `distance` keys are bitonic.
__device__ __forceinline__ void steps_within(unsigned *chunk, unsigned distance)
{
#pragma unroll 1
    for (; distance > 0; distance /= 2) {
        unsigned left = left_of_step(threadIdx.x, distance);
        compare(chunk + left, chunk + left + distance);
        __syncthreads();
    }
}

// Runs of 2, 4, 8, ... keys are merged, each by one comparison per key and power of
// two.
// Wrong about it: log2(n) (log2(n) + 1) / 2 rounds of n / 2 comparisons, 45 for 512
// keys, with a barrier after each; and where keys less than 32 apart are compared, two
// lanes share each bank.
// Right about it: it compares the same places whatever the keys are: no lane ever goes
// another way.
extern "C" __global__ void chunks_bitonic(unsigned *out, const unsigned *in,
                                          unsigned count)
{
    __shared__ unsigned chunk[CHUNK];

    load_chunk(chunk, in, count);
    __syncthreads();
#pragma unroll 1
    for (unsigned length = 2; length <= CHUNK; length *= 2) {
        unsigned left = left_of_flip(threadIdx.x, length);
        compare(chunk + left, chunk + (left ^ (length - 1)));
        __syncthreads();
        steps_within(chunk, length / 4);
    }
    store_chunk(out, chunk, count);
}
// ANCHOR_END: chunks_bitonic

// ANCHOR: chunks_odd_even
// Of two sorted runs, the keys at even places are merged, those at odd places are, and
// then neighbours are compared.
// Wrong about it: as many rounds as the bitonic network, and in each but the first of a
// length some lanes idle.
// Right about it: a sixth fewer comparisons, and they are stable in their places: a
// sorted chunk moves no key at all.
extern "C" __global__ void chunks_odd_even(unsigned *out, const unsigned *in,
                                           unsigned count)
{
    __shared__ unsigned chunk[CHUNK];
    unsigned t = threadIdx.x;

    load_chunk(chunk, in, count);
    __syncthreads();
#pragma unroll 1
    for (unsigned half = 1; half < CHUNK; half *= 2) {
        unsigned left = left_of_step(t, half), in_run = t % half;
        compare(chunk + left, chunk + left + half);
        __syncthreads();
#pragma unroll 1
        for (unsigned distance = half / 2; distance > 0; distance /= 2) {
            // What is the left one of a pair otherwise is the right one here, but
            // for the first ones of the run.
            unsigned right = left_of_step(t, distance);
            if (in_run >= distance) compare(chunk + right - distance, chunk + right);
            __syncthreads();
        }
    }
    store_chunk(out, chunk, count);
}
// ANCHOR_END: chunks_odd_even

// ANCHOR: chunks_split_scan
// Where keys go when those whose bit is 0 come before those whose bit is 1, and nothing
// else changes: a 0 to the number of zeros before it, a 1 behind all zeros and the ones
// before it. A scan of the zeros tells both. Bit by bit, from the lowest.
__device__ __forceinline__ unsigned padded(unsigned i) { return i + i / 32; }

template <bool PRINTED>
__device__ __forceinline__ void split_chunk(unsigned *out, const unsigned *in,
                                            unsigned count)
{
    __shared__ unsigned chunk[CHUNK], zeros_before[CHUNK + CHUNK / 32], zeros;
    unsigned t = threadIdx.x, first = blockIdx.x * CHUNK, other = t + CHUNK / 2;
    unsigned a = first + t < count ? in[first + t] : ~0u,
             b = first + other < count ? in[first + other] : ~0u;

    if (PRINTED) {  // the place that no key gets holds the key that was there before
        chunk[t] = a;
        chunk[other] = b;
    }
#pragma unroll 1
    for (unsigned bit = 0; bit < 32; bit++) {
        bool zero_a = !(a >> bit & 1), zero_b = !(b >> bit & 1);
        zeros_before[padded(t)] = zero_a;
        zeros_before[padded(other)] = zero_b;
        unsigned offset = 1;
#pragma unroll 1
        for (unsigned d = CHUNK / 2; d > 0; d /= 2, offset *= 2) {
            __syncthreads();
            if (t < d)
                zeros_before[padded(offset * (2 * t + 2) - 1)] +=
                    zeros_before[padded(offset * (2 * t + 1) - 1)];
        }
        if (t == 0) {
            zeros = zeros_before[padded(CHUNK - 1)];
            zeros_before[padded(CHUNK - 1)] = 0;
        }
#pragma unroll 1
        for (unsigned d = 1; d < CHUNK; d *= 2) {
            offset /= 2;
            __syncthreads();
            if (t < d) {
                unsigned left = padded(offset * (2 * t + 1) - 1),
                         right = padded(offset * (2 * t + 2) - 1);
                unsigned low = zeros_before[left], sum = low + zeros_before[right];
                zeros_before[left] = zeros_before[right];
                zeros_before[right] = sum;
            }
        }
        __syncthreads();
        unsigned before_a = zeros_before[padded(t)],
                 before_b = zeros_before[padded(other)];
        unsigned all = PRINTED ? zeros_before[padded(CHUNK - 1)] : zeros;
        chunk[zero_a ? before_a : all + t - before_a] = a;
        chunk[zero_b ? before_b : all + other - before_b] = b;
        __syncthreads();
        a = chunk[t];
        b = chunk[other];
    }
    if (first + t < count) out[first + t] = a;
    if (first + other < count) out[first + other] = b;
}

// As printed: "the last element of the scan is the total number of zeros". But the scan
// is exclusive.
// Wrong about it: when the last key has a 0, all ones come one place too early; the
// first meets the last key, and two threads write to one place.
// Right about it: in a chunk that ends with a key of ones only, as a padded one does,
// nothing is amiss.
extern "C" __global__ void chunks_split_printed(unsigned *out, const unsigned *in,
                                                unsigned count)
{
    split_chunk<true>(out, in, count);
}

// The number of zeros is the scan's last element and the last flag: what is at the
// tree's root before it is cleared.
// Wrong about it: a tree of additions with 2 log2(n) barriers per bit, and two more:
// 640 for 512 keys.
// Right about it: keys with the same digits keep their order, which no network
// promises.
extern "C" __global__ void chunks_split_scan(unsigned *out, const unsigned *in,
                                             unsigned count)
{
    split_chunk<false>(out, in, count);
}
// ANCHOR_END: chunks_split_scan

// ANCHOR: chunks_split_ballots
// A ballot counts the zeros of a warp, and every warp scans the warps' totals through
// shuffles.
// Wrong about it: 32 bits are 32 rounds, and every key goes through shared memory in
// each.
// Right about it: two barriers per bit instead of twenty, and one ballot instead of a
// tree.
extern "C" __global__ void chunks_split_ballots(unsigned *out, const unsigned *in,
                                                unsigned count)
{
    constexpr unsigned WARPS = CHUNK / 32;
    __shared__ unsigned chunk[CHUNK], zeros_of_warp[WARPS];
    unsigned t = threadIdx.x, lane = t % 32, warp = t / 32, first = blockIdx.x * CHUNK;
    unsigned key = first + t < count ? in[first + t] : ~0u;

#pragma unroll 1
    for (unsigned bit = 0; bit < 32; bit++) {
        bool zero = !(key >> bit & 1);
        unsigned votes = __ballot_sync(~0u, zero);
        if (lane == 0) zeros_of_warp[warp] = __popc(votes);
        __syncthreads();
        unsigned own = lane < WARPS ? zeros_of_warp[lane] : 0, end = own;
        for (unsigned offset = 1; offset < WARPS; offset *= 2) {
            unsigned before = __shfl_up_sync(~0u, end, offset);
            if (lane >= offset) end += before;
        }
        unsigned zeros = __shfl_sync(~0u, end, WARPS - 1);
        unsigned before =
            __shfl_sync(~0u, end - own, warp) + __popc(votes & ((1u << lane) - 1));
        chunk[zero ? before : zeros + t - before] = key;
        __syncthreads();
        key = chunk[t];
    }
    if (first + t < count) out[first + t] = key;
}
// ANCHOR_END: chunks_split_ballots

// ANCHOR: merge_bitonic
// What is done within a chunk by threads of a block, done by all threads of the grid: a
// launch takes the barrier's place. All comparisons put the smaller key to the left, so
// the array may end anywhere: what is not there is greater than all.
// Wrong about it: for runs of 2^k keys k launches, and 8 bytes per key in each but the
// last nine: log2(n)^2 / 2 in all.
// Right about it: neighbouring threads compare neighbouring keys; not one access is
// scattered.
extern "C" __global__ void merge_flip(unsigned *keys, unsigned count, unsigned length)
{
    unsigned left = left_of_flip(blockIdx.x * blockDim.x + threadIdx.x, length),
             right = left ^ (length - 1);
    if (right < count && keys[left] > keys[right]) compare(keys + left, keys + right);
}

extern "C" __global__ void merge_step(unsigned *keys, unsigned count, unsigned distance)
{
    unsigned left = left_of_step(blockIdx.x * blockDim.x + threadIdx.x, distance),
             right = left + distance;
    if (right < count && keys[left] > keys[right]) compare(keys + left, keys + right);
}

extern "C" __global__ void merge_within(unsigned *keys, unsigned count)
{
    __shared__ unsigned chunk[CHUNK];

    load_chunk(chunk, keys, count);
    steps_within(
        chunk,
        CHUNK / 2);  // the first keys that a thread compares are those that it loaded
    store_chunk(keys, chunk, count);
}
// ANCHOR_END: merge_bitonic

// ANCHOR: merge_path
// How many of the first `place` keys of the merged runs come from the left one. Equal
// keys come from the left one first.
__device__ __forceinline__ unsigned from_left(const unsigned *left, unsigned lefts,
                                              const unsigned *right, unsigned rights,
                                              unsigned place)
{
    unsigned low = place > rights ? place - rights : 0, high = min(place, lefts);
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (left[middle] <= right[place - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// For each tile of the result, how many keys before it, of the pair of runs that it
// belongs to, come from the left run.
constexpr unsigned EACH = 4, TILE = 256 * EACH;

struct Runs {
    unsigned first, lefts, rights;  // where the left run begins, and how many keys both
                                    // have; the right one follows it
};

__device__ __forceinline__ Runs runs_at(unsigned i, unsigned count, unsigned run)
{
    unsigned first = i / (2 * run) * (2 * run), there = count - first,
             lefts = min(run, there);
    return {first, lefts, min(run, there - lefts)};
}

extern "C" __global__ void merge_places(unsigned *places, const unsigned *in,
                                        unsigned count, unsigned run)
{
    unsigned tile = blockIdx.x * blockDim.x + threadIdx.x, i = tile * TILE;
    if (i >= count) return;
    Runs runs = runs_at(i, count, run);
    const unsigned *left = in + runs.first;
    places[tile] =
        from_left(left, runs.lefts, left + runs.lefts, runs.rights, i - runs.first);
}

// Runs of `run` keys are merged two by two. A block makes 1024 keys of the result, a
// thread four.
// Wrong about it: every pass moves all keys, 8 bytes each, and doubles the runs: 19
// passes for 2^28 keys.
// Right about it: log2(n) passes instead of log2(n)^2 / 2, every thread has as much to
// do as any other, and equal keys keep their order. It needs nothing but a comparison,
// so it sorts what has no digits.
extern "C" __global__ void merge_path(unsigned *out, const unsigned *in,
                                      const unsigned *places, unsigned count,
                                      unsigned run)
{
    __shared__ unsigned tile[TILE];
    unsigned t = threadIdx.x, first = blockIdx.x * TILE;
    Runs runs = runs_at(first, count, run);
    unsigned place = first - runs.first, there = runs.lefts + runs.rights,
             size = min(TILE, there - place);
    unsigned from = places[blockIdx.x],
             to = place + size == there ? runs.lefts : places[blockIdx.x + 1];
    unsigned own_lefts = to - from, own_rights = size - own_lefts;
    const unsigned *left = in + runs.first + from,
                   *right = in + first + runs.lefts - from;

    for (unsigned i = t; i < size; i += 256)
        tile[i] = i < own_lefts ? left[i] : right[i - own_lefts];
    __syncthreads();

    if (EACH * t >= size) return;
    unsigned a = from_left(tile, own_lefts, tile + own_lefts, own_rights, EACH * t),
             b = own_lefts + EACH * t - a;
    unsigned merged[EACH];
    for (unsigned k = 0; k < EACH; k++) {
        unsigned of_left = a < own_lefts ? tile[a] : ~0u,
                 of_right = b < size ? tile[b] : ~0u;
        bool take_left = a < own_lefts && (b >= size || of_left <= of_right);
        merged[k] = take_left ? of_left : of_right;
        take_left ? a++ : b++;
    }
    out += first + EACH * t;
    if (EACH * t + EACH <= size)
        *reinterpret_cast<uint4 *>(out) =
            make_uint4(merged[0], merged[1], merged[2], merged[3]);
    else
        for (unsigned k = 0; k < EACH && EACH * t + k < size; k++) out[k] = merged[k];
}
// ANCHOR_END: merge_path
