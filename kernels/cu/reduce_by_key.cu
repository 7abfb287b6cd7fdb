// Reduce-by-key: the sums of all values that have the same key, in fifteen versions.
// warpbook: arch=compute_90
//
// Versions 1 to 13 add to a table with one sum per key, as a particle code adds up the
// particles of every cell. They follow Westphal's "Voting and Shuffling to Optimize
// Atomic Operations" (2015), in our own code, and what came after. The last two need no
// atomics on values: they write one sum per run of equal neighbouring keys.
//
//    1  by_key_atomic_f32        one atomic per element
//    2  by_key_atomic_f64        the same in double precision
//    3  by_key_atomic_i32        the same with ints
//    4  by_key_cas_f64           an addition made of compare-and-swap, as double
//                                precision once needed it
//    5  by_key_hash_f64          a hash table in shared memory in front of the sums
//    6  by_key_peers_printed     lanes with the same key find each other by votes: the
//                                listings, ported word for word
//    7  by_key_peers_f64         the same, right: masks name those that take part,
//                                lanes may be missing
//    8  by_key_match_f64         one instruction finds the peers
//    9  by_key_match_redux_i32   and one adds them, group by group
//   10  by_key_segmented_f64     neighbours with the same key are added by a segmented
//                                scan
//   11  by_key_block_sort_f64    a thread block sorts its elements first
//   12  by_key_scalar_f32x4      four floats per element, by four atomics
//   13  by_key_vector_f32x4      four floats per element, by one atomic
//   14  by_key_look_back_f64     sorted keys, one pass: unique keys and their sums
//   15  by_key_sort_f64          keys in any order: a radix sort before version 14
//                                (four kernels)
//
// A bulk reduction from shared to global memory (`cp.reduce.async.bulk`) adds arrays,
// not scattered sums: a key would need a payload of at least 16 bytes of its own per
// copy, so it is not among these. See `histogram_many_bulk`.
//
// Parameters of versions 1 to 13: `sums` is the table, which holds zeros or what is to
// be added to; `keys` are indices into it; element i has the key `keys[i]` and the
// value `values[i]`, and there are `count` of them.
// Launch: one thread per element in blocks of any multiple of 32 threads, at most 1024;
// versions 5 and 11 in blocks of
// 256. Dynamic shared memory: none, but for version 14 (see there).
//
// The CPU reference is `kernels/src/problem/reduce_by_key.rs`.

// ANCHOR: by_key_atomic
// What many write first: one atomic per element.
// Wrong about it: lanes of a warp with the same key wait for each other at the memory,
// one after another.
// Right about it: with keys in random order there is nothing to gain by anything else.
template <typename T>
__device__ __forceinline__ void add_each(T *sums, const int *keys, const T *values,
                                         unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&sums[keys[i]], values[i]);
}

extern "C" __global__ void by_key_atomic_f32(float *sums, const int *keys,
                                             const float *values, unsigned count)
{
    add_each(sums, keys, values, count);
}

// In double precision: until 2016 (compute capability 6.0) there was no such
// instruction.
// Wrong about it: twice the bytes per atomic, and the result's last bits depend on the
// order.
// Right about it: today it is one instruction, so what the article of 2015 measured no
// longer holds.
extern "C" __global__ void by_key_atomic_f64(double *sums, const int *keys,
                                             const double *values, unsigned count)
{
    add_each(sums, keys, values, count);
}

// With ints every order gives the same sum.
// Wrong about it: still one atomic per element.
// Right about it: nothing depends on which thread comes first.
extern "C" __global__ void by_key_atomic_i32(int *sums, const int *keys,
                                             const int *values, unsigned count)
{
    add_each(sums, keys, values, count);
}
// ANCHOR_END: by_key_atomic

// ANCHOR: by_key_cas
// An addition by compare-and-swap: read, add, and put it back if no other was faster;
// else all over again.
// Wrong about it: of m lanes with the same key one succeeds per round, so m rounds and
// m (m + 1) / 2 tries.
// Right about it: it makes any operation atomic, on hardware that has only this one.
__device__ __forceinline__ void add_by_cas(double *sum, double value)
{
    unsigned long long *bits = reinterpret_cast<unsigned long long *>(sum);
    unsigned long long seen = *const_cast<volatile unsigned long long *>(bits), before;
    do {
        before = seen;
        seen = atomicCAS(bits, before,
                         __double_as_longlong(__longlong_as_double(before) + value));
    } while (seen != before);
}

extern "C" __global__ void by_key_cas_f64(double *sums, const int *keys,
                                          const double *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) add_by_cas(&sums[keys[i]], values[i]);
}
// ANCHOR_END: by_key_cas

// ANCHOR: by_key_hash
// Every block adds into a small hash table in shared memory and then adds that to the
// sums.
// Wrong about it: with many different keys most elements find their slot taken and go
// to global memory after all.
// Right about it: equal keys are joined anywhere in the block, not only within a warp.
extern "C" __global__ void by_key_hash_f64(double *sums, const int *keys,
                                           const double *values, unsigned count)
{
    constexpr unsigned SLOTS = 512;
    constexpr int FREE = -1;
    __shared__ int key_of[SLOTS];
    __shared__ double sum_of[SLOTS];
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

    for (unsigned slot = threadIdx.x; slot < SLOTS; slot += blockDim.x) {
        key_of[slot] = FREE;
        sum_of[slot] = 0.0;
    }
    __syncthreads();
    if (i < count) {
        int key = keys[i];
        unsigned slot =
            unsigned(key) % SLOTS;  // neighbouring cells get neighbouring slots
        int owner = atomicCAS(&key_of[slot], FREE, key);
        if (owner == FREE || owner == key)
            atomicAdd(&sum_of[slot], values[i]);
        else
            atomicAdd(&sums[key], values[i]);
    }
    __syncthreads();
    for (unsigned slot = threadIdx.x; slot < SLOTS; slot += blockDim.x)
        if (key_of[slot] != FREE) atomicAdd(&sums[key_of[slot]], sum_of[slot]);
}
// ANCHOR_END: by_key_hash

// ANCHOR: lanes
__device__ __forceinline__ unsigned lane_index() { return threadIdx.x % 32; }

// The lanes before this one, and the lanes behind it.
__device__ __forceinline__ unsigned lanes_below(unsigned lane)
{
    return (1u << lane) - 1;
}
__device__ __forceinline__ unsigned lanes_above(unsigned lane)
{
    return 0xfffffffe << lane;
}
// ANCHOR_END: lanes

// ANCHOR: by_key_peers_printed
// The two listings with `_sync` and a full mask put into every exchange, which is how
// such code was ported in haste.
// Wrong about it: lanes that have found their peers have left the loop, so the mask
// names lanes that do not come; and where lanes are missing from the start, a missing
// lane may be taken for the first unclaimed one.
extern "C" __global__ void by_key_peers_printed(double *sums, const int *keys,
                                                const double *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = lane_index();
    if (i >= count) return;
    int key = keys[i];
    double x = values[i];

    unsigned peers = 0, unclaimed = 0xffffffff;
    bool is_peer;
    do {
        is_peer = key == __shfl_sync(0xffffffff, key, __ffs(unclaimed) - 1);
        peers = __ballot_sync(0xffffffff, is_peer);
        unclaimed ^= peers;
    } while (!is_peer);

    int first = __ffs(peers) - 1;
    unsigned position = __popc(
        peers << (32 - lane));  // for lane 0 a shift by 32, which C++ does not define
    peers &= 0xfffffffe << lane;
    while (__any_sync(0xffffffff, peers)) {
        int next = __ffs(peers);
        double other = __shfl_sync(0xffffffff, x, next - 1);
        if (next) x += other;
        peers &= ~__ballot_sync(0xffffffff, position & 1);
        position >>= 1;
    }
    if (lane == first) atomicAdd(&sums[key], x);
}
// ANCHOR_END: by_key_peers_printed

// ANCHOR: peers
// The lanes of `present` that have this lane's key. One round per different key: the
// first lane that is not claimed yet shows its key, and all that have the same leave.
// Only those that are left take part in a round.
__device__ __forceinline__ unsigned find_peers(int key, unsigned present)
{
    unsigned unclaimed = present, peers;
    bool is_peer;
    do {
        is_peer = key == __shfl_sync(unclaimed, key, __ffs(unclaimed) - 1);
        peers = __ballot_sync(unclaimed, is_peer);
        unclaimed ^= peers;
    } while (!is_peer);
    return peers;
}

// The sum over this lane's peers, in the first of them. Interleaved trees, one per
// group: in round r a lane whose position among its peers ends in r zero bits takes the
// sum of its next remaining peer.
__device__ __forceinline__ double add_peers(unsigned peers, double x, unsigned present)
{
    unsigned lane = lane_index();
    unsigned position = __popc(peers & lanes_below(lane));
    peers &= lanes_above(lane);
    while (__any_sync(present, peers != 0)) {
        int next = __ffs(peers);
        double other = __shfl_sync(present, x, next ? next - 1 : lane);
        if (next) x += other;
        peers &= ~__ballot_sync(present, position & 1);
        position >>= 1;
    }
    return x;
}
// ANCHOR_END: peers

// ANCHOR: by_key_peers_f64
// Lanes with the same key add up among themselves, and one of them does the atomic.
// Wrong about it: a round per different key to find them, 32 rounds when keys are
// random.
// Right about it: one atomic per different key of a warp, whatever their order.
extern "C" __global__ void by_key_peers_f64(double *sums, const int *keys,
                                            const double *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned present = __ballot_sync(~0u, i < count);
    if (i >= count) return;
    int key = keys[i];
    unsigned peers = find_peers(key, present);
    double sum = add_peers(peers, values[i], present);
    if ((peers & lanes_below(lane_index())) == 0) atomicAdd(&sums[key], sum);
}
// ANCHOR_END: by_key_peers_f64

// ANCHOR: by_key_match_f64
// `match.any` (compute capability 7.0) finds the peers without a loop.
// Wrong about it: the tree of additions is still as deep as the largest group.
// Right about it: random keys cost little more than with plain atomics.
extern "C" __global__ void by_key_match_f64(double *sums, const int *keys,
                                            const double *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned present = __ballot_sync(~0u, i < count);
    if (i >= count) return;
    int key = keys[i];
    unsigned peers = __match_any_sync(present, key);
    double sum = add_peers(peers, values[i], present);
    if ((peers & lanes_below(lane_index())) == 0) atomicAdd(&sums[key], sum);
}
// ANCHOR_END: by_key_match_f64

// ANCHOR: by_key_match_redux_i32
// `redux.sync` (compute capability 8.0) adds a group of lanes in one instruction.
// Wrong about it: the groups go one after another, and it adds ints only.
// Right about it: two instructions do what two listings did.
extern "C" __global__ void by_key_match_redux_i32(int *sums, const int *keys,
                                                  const int *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned present = __ballot_sync(~0u, i < count);
    if (i >= count) return;
    int key = keys[i];
    unsigned peers = __match_any_sync(present, key);
    int sum = __reduce_add_sync(peers, values[i]);
    if ((peers & lanes_below(lane_index())) == 0) atomicAdd(&sums[key], sum);
}
// ANCHOR_END: by_key_match_redux_i32

// ANCHOR: by_key_segmented_f64
// Equal keys side by side are a run; a scan that stops at the runs' beginnings leaves
// each run's sum in its last lane.
// Wrong about it: a b a b are four runs and four atomics, where the peers' versions
// need two.
// Right about it: always five shuffles of the value, and nothing to search for.
extern "C" __global__ void by_key_segmented_f64(double *sums, const int *keys,
                                                const double *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = lane_index();
    unsigned present = __ballot_sync(~0u, i < count);
    if (i >= count) return;
    int key = keys[i];
    double sum = values[i];

    int left = __shfl_up_sync(present, key, 1);
    unsigned heads = __ballot_sync(present, lane == 0 || left != key);
    unsigned begin = 31 - __clz(heads & (lanes_below(lane) | 1u << lane));
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        double other = __shfl_up_sync(present, sum, distance);
        if (lane >= begin + distance) sum += other;
    }
    unsigned behind = lanes_above(lane) & present;
    bool last = behind == 0 || (heads >> lane >> 1 & 1);
    if (last) atomicAdd(&sums[key], sum);
}
// ANCHOR_END: by_key_segmented_f64

// ANCHOR: runs
// What a stretch of elements does to the sums: how many runs begin in it, and the sum
// of what follows the last beginning (of everything, if none begins).
struct Stretch {
    double sum;
    unsigned runs;
};

// Two stretches side by side are one.
__device__ __forceinline__ Stretch join(Stretch left, Stretch right)
{
    return {right.runs ? right.sum : left.sum + right.sum, left.runs + right.runs};
}

__device__ __forceinline__ Stretch from_below(Stretch stretch, unsigned distance)
{
    return {__shfl_up_sync(~0u, stretch.sum, distance),
            __shfl_up_sync(~0u, stretch.runs, distance)};
}

// The stretch of all threads of the block before this one. `all` becomes that of the
// whole block.
// Every thread of the block calls it, once.
template <unsigned WARPS>
__device__ __forceinline__ Stretch stretch_before(Stretch own, Stretch &all)
{
    __shared__ double warp_sum[WARPS];
    __shared__ unsigned warp_runs[WARPS];
    unsigned lane = lane_index(), warp = threadIdx.x / 32;

    for (unsigned distance = 1; distance < 32; distance *= 2) {
        Stretch left = from_below(own, distance);
        if (lane >= distance) own = join(left, own);
    }
    if (lane == 31) {
        warp_sum[warp] = own.sum;
        warp_runs[warp] = own.runs;
    }
    Stretch before = from_below(own, 1);
    if (lane == 0) before = {0.0, 0};
    __syncthreads();
    Stretch warps = {0.0, 0};
    all = {0.0, 0};
    for (unsigned w = 0; w < WARPS; w++) {
        if (w == warp) warps = all;
        all = join(all, {warp_sum[w], warp_runs[w]});
    }
    return join(warps, before);
}
// ANCHOR_END: runs

// ANCHOR: by_key_block_sort_f64
// A block of 256 sorts its keys (a bitonic network in shared memory) and then adds
// runs, across its warps.
// Wrong about it: 36 rounds with a barrier each, for at most 256 elements.
// Right about it: one atomic per different key of a block, in whatever order the keys
// come.
extern "C" __global__ void by_key_block_sort_f64(double *sums, const int *keys,
                                                 const double *values, unsigned count)
{
    constexpr unsigned T = 256;
    __shared__ long long sorted[T];  // key and position: whatever has no key comes last
    unsigned t = threadIdx.x, first = blockIdx.x * T;
    unsigned size = count - first < T ? count - first : T;

    sorted[t] = t < size ? (static_cast<long long>(keys[first + t]) << 32 | t)
                         : 0x7fffffffffffffffll;
    __syncthreads();
#pragma unroll 1
    for (unsigned length = 2; length <= T; length *= 2) {
#pragma unroll 1
        for (unsigned distance = length / 2; distance > 0; distance /= 2) {
            unsigned partner = t ^ distance;
            long long own = sorted[t], other = sorted[partner];
            bool ascending = (t & length) == 0;
            bool keep = (own < other) == ((t < partner) == ascending);
            __syncthreads();
            if (!keep) sorted[t] = other;
            __syncthreads();
        }
    }

    int key = static_cast<int>(sorted[t] >> 32);
    bool there = t < size;
    double value = there ? values[first + static_cast<unsigned>(sorted[t])] : 0.0;
    bool head = there && (t == 0 || static_cast<int>(sorted[t - 1] >> 32) != key);
    Stretch all;
    Stretch before = stretch_before<T / 32>({value, head}, all);
    bool last =
        t + 1 == size || (t + 1 < size && static_cast<int>(sorted[t + 1] >> 32) != key);
    if (last) atomicAdd(&sums[key], head ? value : before.sum + value);
}
// ANCHOR_END: by_key_block_sort_f64

// ANCHOR: by_key_f32x4
// A particle brings more than one number: its mass and its momentum. Four atomics add
// them.
// Wrong about it: four requests per element, each of which finds the same 16 bytes.
// Right about it: it runs on every GPU.
extern "C" __global__ void by_key_scalar_f32x4(float4 *sums, const int *keys,
                                               const float4 *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float4 value = values[i];
    float4 *sum = &sums[keys[i]];
    atomicAdd(&sum->x, value.x);
    atomicAdd(&sum->y, value.y);
    atomicAdd(&sum->z, value.z);
    atomicAdd(&sum->w, value.w);
}

// Compute capability 9.0 adds four floats at once. Each of the four is atomic; all
// together are not.
// Wrong about it: one atomic per element still.
// Right about it: a quarter of the requests.
extern "C" __global__ void by_key_vector_f32x4(float4 *sums, const int *keys,
                                               const float4 *values, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(&sums[keys[i]], values[i]);
}
// ANCHOR_END: by_key_f32x4

// ANCHOR: tile_state
// What a tile of version 14 tells those behind it: 16 bytes that are written and read
// at once, so that a block that sees the mark sees the numbers that belong to it,
// without a fence.
constexpr unsigned NOTHING = 0;  // the tile has not been read yet
constexpr unsigned OWN = 1;      // the stretch is the tile alone
constexpr unsigned UP_TO_HERE =
    2;  // the stretch is everything from the array's beginning to the tile's end

struct alignas(16) TileState {
    double sum;
    unsigned runs;
    unsigned mark;
};

__device__ __forceinline__ void publish(TileState *state, Stretch stretch,
                                        unsigned mark)
{
    unsigned long long high =
        static_cast<unsigned long long>(mark) << 32 | stretch.runs;
    asm volatile("{ .reg .b128 state; mov.b128 state, {%1, %2}; "
                 "st.relaxed.gpu.global.b128 [%0], state; }" ::"l"(state),
                 "l"(__double_as_longlong(stretch.sum)), "l"(high)
                 : "memory");
}

__device__ __forceinline__ TileState look_at(const TileState *state)
{
    unsigned long long low, high;
    asm volatile("{ .reg .b128 state; ld.relaxed.gpu.global.b128 state, [%2]; mov.b128 "
                 "{%0, %1}, state; }"
                 : "=l"(low), "=l"(high)
                 : "l"(state)
                 : "memory");
    return {__longlong_as_double(low), static_cast<unsigned>(high),
            static_cast<unsigned>(high >> 32)};
}

// Everything before `tile`, found by a warp that looks at 32 tiles at a time, nearest
// first, until one of them knows everything up to itself. Lane 0 gets it.
__device__ __forceinline__ Stretch look_back(const TileState *states, unsigned tile)
{
    unsigned lane = lane_index();
    Stretch before = {0.0, 0};
    for (int next = static_cast<int>(tile) - 1;; next -= 32) {
        int at = next - static_cast<int>(lane);
        TileState state = {0.0, 0,
                           UP_TO_HERE};  // before the first tile there is nothing
        do {
            if (at >= 0) state = look_at(states + at);
        } while (__any_sync(~0u, state.mark == NOTHING));
        unsigned known = __ballot_sync(~0u, state.mark == UP_TO_HERE);
        unsigned nearest = known ? __ffs(known) - 1 : 31;
        Stretch window = {0.0, 0};
        if (lane <= nearest) window = {state.sum, state.runs};
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            Stretch farther = {__shfl_down_sync(~0u, window.sum, distance),
                               __shfl_down_sync(~0u, window.runs, distance)};
            if (lane + distance < 32) window = join(farther, window);
        }
        before = join(window, before);
        if (known) return before;
    }
}
// ANCHOR_END: tile_state

// ANCHOR: copy16
// 16 bytes from global to shared memory, without passing through registers.
__device__ __forceinline__ void copy16(void *to, const void *from)
{
    unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from)
                 : "memory");
}

__device__ __forceinline__ void copies_done()
{
    asm volatile("cp.async.commit_group;\n\tcp.async.wait_group 0;" ::: "memory");
}
// ANCHOR_END: copy16

// ANCHOR: by_key_look_back_f64
// Sorted keys in, unique keys and their sums out, in one pass over the data: a tile
// finds its place in the output, and what has been added up of the run that reaches
// into it, by looking back at the tiles before.
// Wrong about it: the keys must be sorted, or at least have their equals beside them.
// Right about it: every element is read once, every result written once, and no atomic
// touches a value.
//
// `unique` and `sums` receive one element per run, `runs` how many there are. `work`
// holds a ticket and a TileState per tile, all zero before: 16 bytes for each
// of 1 + ceil(count / TILE).
// Launch: max(1, ceil(count / TILE)) blocks of THREADS threads. Dynamic shared memory:
// 12 * TILE bytes. `keys` and `values` begin at multiples of 16 bytes.
// Tiles are numbered by tickets, so that every tile that a block waits for is already
// being worked on.
template <unsigned THREADS, unsigned ITEMS>
__device__ __forceinline__ void reduce_runs(int *unique, double *sums, unsigned *runs,
                                            const int *keys, const double *values,
                                            unsigned count, TileState *work)
{
    constexpr unsigned TILE = THREADS * ITEMS;
    static_assert(ITEMS % 4 == 2, "an odd number of 16-byte words per thread: no two "
                                  "lanes of a phase share a bank");
    extern __shared__ double2 tile_memory[];
    double *tile_values = reinterpret_cast<double *>(tile_memory);
    int *tile_keys = reinterpret_cast<int *>(tile_values + TILE);
    __shared__ unsigned ticket;
    __shared__ Stretch tile_before;
    unsigned t = threadIdx.x;

    if (t == 0) ticket = atomicAdd(&work->runs, 1u);
    __syncthreads();
    unsigned tile = ticket, first = tile * TILE;
    unsigned size = count - first < TILE ? count - first : TILE;
    TileState *states = work + 1;

    if (size == TILE) {
        for (unsigned i = t; i < TILE / 4; i += THREADS)
            copy16(tile_keys + 4 * i, keys + first + 4 * i);
        for (unsigned i = t; i < TILE / 2; i += THREADS)
            copy16(tile_values + 2 * i, values + first + 2 * i);
        copies_done();
    } else {
        for (unsigned i = t; i < TILE;
             i += THREADS) {  // what is not there continues the last run with zeros
            tile_keys[i] = count ? keys[min(first + i, count - 1)] : 0;
            tile_values[i] = i < size ? values[first + i] : 0.0;
        }
    }
    int previous = t == 0 && tile > 0 ? keys[first - 1] : 0;
    __syncthreads();

    int key[ITEMS];
    double value[ITEMS];
    for (unsigned i = 0; i < ITEMS; i += 2) {
        reinterpret_cast<int2 *>(key)[i / 2] =
            reinterpret_cast<int2 *>(tile_keys + t * ITEMS)[i / 2];
        reinterpret_cast<double2 *>(value)[i / 2] =
            reinterpret_cast<double2 *>(tile_values + t * ITEMS)[i / 2];
    }
    if (t > 0) previous = tile_keys[t * ITEMS - 1];

    unsigned heads = 0;  // bit i: a run begins at element i of this thread
    Stretch own = {0.0, 0};
    for (unsigned i = 0; i < ITEMS; i++) {
        bool head = key[i] != (i ? key[i - 1] : previous) ||
                    (i == 0 && t == 0 && tile == 0 && count > 0);
        own.sum = head ? value[i] : own.sum + value[i];
        heads |= unsigned(head) << i;
    }
    own.runs = __popc(heads);

    Stretch all;
    Stretch mine = stretch_before<THREADS / 32>(own, all);
    if (t < 32) {
        if (t == 0) publish(states + tile, all, tile ? OWN : UP_TO_HERE);
        if (tile > 0) {
            Stretch before = look_back(states, tile);
            if (t == 0) {
                tile_before = before;
                publish(states + tile, join(before, all), UP_TO_HERE);
            }
        } else if (t == 0) {
            tile_before = {0.0, 0};
        }
    }

    // The tile's memory has been read by all threads: from here on it holds results,
    // side by side. A run's beginning closes the run before it.
    unsigned rank = mine.runs;
    double sum = mine.sum;
    for (unsigned i = 0; i < ITEMS; i++) {
        if (heads >> i & 1) {
            tile_keys[rank] = key[i];
            tile_values[rank] = sum;
            rank++;
            sum = value[i];
        } else {
            sum += value[i];
        }
    }
    __syncthreads();

    Stretch before = tile_before;
    for (unsigned i = t; i < all.runs; i += THREADS) {
        unsigned to = before.runs + i;
        unique[to] = tile_keys[i];
        if (to > 0) sums[to - 1] = i ? tile_values[i] : before.sum + tile_values[i];
    }
    if (t == 0 && first + size == count) {
        Stretch total = join(before, all);
        if (count > 0) sums[total.runs - 1] = total.sum;
        *runs = total.runs;
    }
}

extern "C" __global__ void __launch_bounds__(256, 4)
    by_key_look_back_f64(int *unique, double *sums, unsigned *runs, const int *keys,
                         const double *values, unsigned count, TileState *work)
{
    reduce_runs<256, 14>(unique, sums, runs, keys, values, count, work);
}
// ANCHOR_END: by_key_look_back_f64

// ANCHOR: radix_sort
// One pass of a radix sort takes four bits of the keys. First every block counts its
// digits...
constexpr unsigned DIGITS = 16;

__device__ __forceinline__ unsigned digit_of(int key, unsigned shift)
{
    return unsigned(key) >> shift & DIGITS - 1;
}

extern "C" __global__ void by_key_sort_count(unsigned *counts, const int *keys,
                                             unsigned count, unsigned shift)
{
    __shared__ unsigned of_digit[DIGITS];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;

    if (t < DIGITS) of_digit[t] = 0;
    __syncthreads();
    if (i < count) atomicAdd(&of_digit[digit_of(keys[i], shift)], 1u);
    __syncthreads();
    if (t < DIGITS) counts[t * gridDim.x + blockIdx.x] = of_digit[t];
}

// ... then one block turns the counts, digit by digit and in a digit block by block,
// into places...
extern "C" __global__ void by_key_sort_places(unsigned *counts, unsigned number)
{
    __shared__ unsigned of_warp[32];
    unsigned t = threadIdx.x, lane = lane_index(), warp = t / 32;
    unsigned before = 0;

    for (unsigned first = 0; first < number; first += blockDim.x) {
        unsigned own = first + t < number ? counts[first + t] : 0, sum = own;
        for (unsigned distance = 1; distance < 32; distance *= 2) {
            unsigned left = __shfl_up_sync(~0u, sum, distance);
            if (lane >= distance) sum += left;
        }
        if (lane == 31) of_warp[warp] = sum;
        __syncthreads();
        unsigned warps = 0, all = 0;
        for (unsigned w = 0; w < blockDim.x / 32; w++) {
            if (w == warp) warps = all;
            all += of_warp[w];
        }
        if (first + t < number) counts[first + t] = before + warps + sum - own;
        before += all;
        __syncthreads();
    }
}

// ... and every block sends its elements there. Those with the same digit keep their
// order: lanes before lanes, warps before warps, blocks before blocks.
// Wrong about it: three launches and 28 bytes per element for each four bits.
// Right about it: whatever the order of the keys, what follows sees runs.
extern "C" __global__ void by_key_sort_scatter(int *keys_out, double *values_out,
                                               const int *keys, const double *values,
                                               const unsigned *places, unsigned count,
                                               unsigned shift)
{
    constexpr unsigned WARPS = 8;
    __shared__ unsigned of_warp[WARPS][DIGITS];
    unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = lane_index(),
             warp = t / 32;

    if (t < WARPS * DIGITS) of_warp[t / DIGITS][t % DIGITS] = 0;
    __syncthreads();
    bool there = i < count;
    int key = there ? keys[i] : 0;
    unsigned digit = there ? digit_of(key, shift) : DIGITS;
    unsigned peers = __match_any_sync(~0u, digit);
    unsigned rank = __popc(peers & lanes_below(lane));
    if (there && rank == 0) of_warp[warp][digit] = __popc(peers);
    __syncthreads();
    if (!there) return;
    for (unsigned w = 0; w < warp; w++) rank += of_warp[w][digit];
    unsigned to = places[digit * gridDim.x + blockIdx.x] + rank;
    keys_out[to] = key;
    values_out[to] = values[i];
}
// ANCHOR_END: radix_sort
