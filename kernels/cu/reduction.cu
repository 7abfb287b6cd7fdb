// Reduction: the sum of an array of ints, in eleven versions.
// warpbook: arch=compute_80
//
// The first five follow the ladder of Harris' "Optimizing Parallel Reduction in CUDA"
// (2007), in our own code: its first four versions, and its last one, many elements per
// thread. The others are what the hardware has learned since. What each version
// changes:
//
//    1  reduce_modulo         a tree in shared memory, the working lanes chosen with
//                             `%`
//    2  reduce_strided        the same tree, the working lanes side by side
//    3  reduce_sequential     the tree the other way round: far halves first
//    4  reduce_first_add      the first addition while loading
//    5  reduce_grid_stride    as many additions while loading as the grid leaves to a
//                             thread
//    6  reduce_shuffle        lanes add through shuffles, warps through shared memory
//    7  reduce_redux          one instruction adds a warp
//    8  reduce_vector4        16 bytes per load
//    9  reduce_last_block     one launch: the block that ends last adds the sums
//   10  reduce_block_atomic   one launch: one atomic per block
//   11  reduce_thread_atomic  one launch: one atomic per element
//
// Parameters: `sums` receives one sum per block (1 to 8) or the sum (9 to 11, which
// find a zero there), `count` is the number of elements of `in`. Versions 1 to 8 are
// launched again on their own sums until one is left.
// Launch: any grid with blocks of a power of two of threads, 32 to 1024. A block of
// versions 1 to 3 takes one element per thread, of version 4 two; the others stride
// through the array, however many blocks there are.
// Dynamic shared memory: one int per thread (1 to 5), none (6 to 11).
//
// The CPU reference is `kernels/src/problem/reduction.rs`. Sums wrap, as unsigned ints
// do: any order gives the same.

// ANCHOR: reduce_modulo
// Every round halves the number of working lanes, and those that work are spread over
// all warps.
// Wrong about it: every warp is in every round with fewer and fewer lanes, and `%` is
// slow.
// Right about it: the result.
extern "C" __global__ void reduce_modulo(int *sums, const int *in, unsigned count)
{
    extern __shared__ int temp[];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + t;

    temp[t] = i < count ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) temp[t] += temp[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = temp[0];
}
// ANCHOR_END: reduce_modulo

// ANCHOR: reduce_strided
// The working lanes are neighbours now: whole warps go idle instead of lanes.
// Wrong about it: neighbouring lanes touch words 2, 4, 8, ... apart, so they share
// banks.
// Right about it: until one warp is left, its lanes go the same way. In the last five
// rounds that warp still diverges.
// Divergence has become bank conflicts: count both before you call it better.
extern "C" __global__ void reduce_strided(int *sums, const int *in, unsigned count)
{
    extern __shared__ int temp[];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + t;

    temp[t] = i < count ? in[i] : 0;
    __syncthreads();
    for (unsigned s = 1; s < blockDim.x; s *= 2) {
        unsigned at = 2 * s * t;
        if (at < blockDim.x) temp[at] += temp[at + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = temp[0];
}
// ANCHOR_END: reduce_strided

// ANCHOR: reduce_sequential
// The far half is added to the near half, so that neighbouring lanes touch neighbouring
// words in every round.
// Wrong about it: half of the threads never add anything.
// Right about it: neither divergence (until one warp is left) nor bank conflicts.
extern "C" __global__ void reduce_sequential(int *sums, const int *in, unsigned count)
{
    extern __shared__ int temp[];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x + t;

    temp[t] = i < count ? in[i] : 0;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) temp[t] += temp[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = temp[0];
}
// ANCHOR_END: reduce_sequential

// ANCHOR: reduce_first_add
// The round in which only half of the threads work is done while loading: half as many
// blocks for the same array.
// Wrong about it: a thread still does next to nothing between two barriers.
// Right about it: twice the loads in flight per thread.
extern "C" __global__ void reduce_first_add(int *sums, const int *in, unsigned count)
{
    extern __shared__ int temp[];
    unsigned t = threadIdx.x;
    unsigned i = blockIdx.x * blockDim.x * 2 + t;

    int sum = i < count ? in[i] : 0;
    if (i + blockDim.x < count) sum += in[i + blockDim.x];
    temp[t] = sum;
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) temp[t] += temp[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = temp[0];
}
// ANCHOR_END: reduce_first_add

// ANCHOR: strided_sum
// The sum of the elements that fall to this thread when all threads of the grid stride
// through the array together.
__device__ __forceinline__ int strided_sum(const int *in, unsigned count)
{
    int sum = 0;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
         i += size_t(gridDim.x) * blockDim.x)
        sum += in[i];
    return sum;
}
// ANCHOR_END: strided_sum

// ANCHOR: reduce_grid_stride
// As many blocks as the GPU holds at a time, and each thread adds its share of the
// array in a register.
// Wrong about it: the tree's barriers, of which the last five are for one warp that
// needs none.
// Right about it: the tree's cost is paid once per thread block instead of once per 512
// elements.
extern "C" __global__ void reduce_grid_stride(int *sums, const int *in, unsigned count)
{
    extern __shared__ int temp[];
    unsigned t = threadIdx.x;

    temp[t] = strided_sum(in, count);
    __syncthreads();
    for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) temp[t] += temp[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = temp[0];
}
// ANCHOR_END: reduce_grid_stride

// ANCHOR: warp_sums
// The sum over a warp through registers: after five shuffles lane 0 has it.
struct ByShuffle {
    static __device__ __forceinline__ int sum(int value)
    {
        for (int offset = 16; offset > 0; offset /= 2)
            value += __shfl_down_sync(~0u, value, offset);
        return value;
    }
};

// The sum over a warp by one instruction (compute capability 8.0): all lanes have it.
struct ByRedux {
    static __device__ __forceinline__ int sum(int value)
    {
        return __reduce_add_sync(~0u, value);
    }
};

// The sum over a thread block, in thread 0: every warp adds its lanes, the first warp
// adds the warps.
template <typename Warp>
__device__ __forceinline__ int block_sum(int value)
{
    __shared__ int of_warp[32];
    unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;

    value = Warp::sum(value);
    if (lane == 0) of_warp[warp] = value;
    __syncthreads();
    if (warp == 0) value = Warp::sum(lane < blockDim.x / 32 ? of_warp[lane] : 0);
    return value;
}
// ANCHOR_END: warp_sums

// ANCHOR: reduce_shuffle
// Lanes exchange registers. Shared memory holds one word per warp, and one barrier is
// left.
// Wrong about it: ten shuffles and ten additions per thread, where the hardware has an
// instruction.
// Right about it: no bank can conflict where no lane uses one.
extern "C" __global__ void reduce_shuffle(int *sums, const int *in, unsigned count)
{
    int sum = block_sum<ByShuffle>(strided_sum(in, count));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// ANCHOR_END: reduce_shuffle

// ANCHOR: reduce_redux
// `redux.sync` adds 32 integers in one instruction.
// Wrong about it: none adds floats. From compute capability 10.0a on, `redux.sync.f32`
// has minimum and maximum only.
// Right about it: what is left to wait for is memory.
extern "C" __global__ void reduce_redux(int *sums, const int *in, unsigned count)
{
    int sum = block_sum<ByRedux>(strided_sum(in, count));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// ANCHOR_END: reduce_redux

// ANCHOR: strided_sum4
// As strided_sum, 16 bytes at a time and four loads in flight. What does not fill a
// vector is left to single loads. `in` begins at a multiple of 16 bytes, as every
// allocation does.
__device__ __forceinline__ int strided_sum4(const int *in, unsigned count)
{
    const int4 *in4 = reinterpret_cast<const int4 *>(in);
    size_t threads = size_t(gridDim.x) * blockDim.x;
    size_t thread = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    size_t vectors = count / 4;
    int sum = 0;

    size_t i = thread;
    for (; i + 3 * threads < vectors; i += 4 * threads) {
        int4 a = in4[i], b = in4[i + threads], c = in4[i + 2 * threads],
             d = in4[i + 3 * threads];
        sum += a.x + a.y + a.z + a.w + b.x + b.y + b.z + b.w;
        sum += c.x + c.y + c.z + c.w + d.x + d.y + d.z + d.w;
    }
    for (; i < vectors; i += threads) {
        int4 a = in4[i];
        sum += a.x + a.y + a.z + a.w;
    }
    i = 4 * vectors + thread;  // fewer than four are left
    if (i < count) sum += in[i];
    return sum;
}
// ANCHOR_END: strided_sum4

// ANCHOR: reduce_vector4
// A request of a warp covers 512 bytes instead of 128: a quarter of the load
// instructions for the same sectors.
// Wrong about it: the second launch for the sums of the blocks.
// Right about it: enough bytes in flight to keep the memory busy with few warps.
extern "C" __global__ void reduce_vector4(int *sums, const int *in, unsigned count)
{
    int sum = block_sum<ByRedux>(strided_sum4(in, count));
    if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
// ANCHOR_END: reduce_vector4

// ANCHOR: reduce_last_block
// Every block leaves its sum and takes a ticket; the one with the last ticket adds all
// sums.
// Wrong about it: it needs memory for the sums and a fence between a sum and its
// ticket.
// Right about it: one launch, and the order of the additions does not depend on who
// comes when.
// `work` holds the ticket, which is zero before and after, and then one sum per block.
extern "C" __global__ void reduce_last_block(int *sum, const int *in, unsigned count,
                                             unsigned *work)
{
    __shared__ bool last;
    int *sums = reinterpret_cast<int *>(work + 1);

    int own = block_sum<ByRedux>(strided_sum4(in, count));
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = own;
        __threadfence();  // the sum is visible before the ticket is drawn
        last = atomicInc(work, gridDim.x - 1) ==
               gridDim.x - 1;  // the last one turns it back to zero
        __threadfence();       // and the others' sums are read after it
    }
    __syncthreads();
    if (!last) return;

    int rest = 0;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        rest += __ldcg(sums + i);
    rest = block_sum<ByRedux>(rest);
    if (threadIdx.x == 0) *sum = rest;
}
// ANCHOR_END: reduce_last_block

// ANCHOR: reduce_block_atomic
// One atomic per block adds the block's sum to the result.
// Wrong about it: the result must be zero before; with floats the order of the blocks
// would show in the last bits.
// Right about it: one launch, no sums of blocks in memory, and no fence.
extern "C" __global__ void reduce_block_atomic(int *sum, const int *in, unsigned count)
{
    int own = block_sum<ByRedux>(strided_sum4(in, count));
    if (threadIdx.x == 0) atomicAdd(sum, own);
}
// ANCHOR_END: reduce_block_atomic

// ANCHOR: reduce_thread_atomic
// What many write first: one atomic per element, all on one address.
// Wrong about it: the source asks for `count` atomics in a row.
// Look at the counters, though: the compiler adds up the lanes of a warp first and
// sends one atomic per warp.
extern "C" __global__ void reduce_thread_atomic(int *sum, const int *in, unsigned count)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) atomicAdd(sum, in[i]);
}
// ANCHOR_END: reduce_thread_atomic
