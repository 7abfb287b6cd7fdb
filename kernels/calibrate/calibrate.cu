// What the parts of a GPU take: small programs, each of which keeps one part busy and
// nothing else. `warpbook calibrate` compiles this file with nvcc and makes the
// target's file of what it prints: a line per measurement, the number's name, a tab,
// its value. Every round measures all of them again. No kernel of the workbook is in
// here.
//
// Clocks are those of the multiprocessors; times of whole launches are turned into
// clocks with `clock_mhz`.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <vector>

typedef unsigned Word;
typedef unsigned long long Long;

__device__ __forceinline__ long long clocks()
{
    long long now;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(now)::"memory");
    return now;
}

// One thread waits for a while by the multiprocessor's clock, and looks at the
// nanoseconds.
__global__ void clock_against_timer(Long *out)
{
    Long from, to;
    long long start = clocks();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(from));
    while (clocks() - start < 20000000) {}
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(to));
    out[0] = clocks() - start;
    out[1] = to - from;
}

__global__ void empty_kernel() {}

__global__ void store_one(Word *p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }

// A wave of blocks that take as many clocks as they are told.
__global__ void spin(int n, Word *p, bool store)
{
    long long start = clocks();
    while (clocks() - start < n) {}
    if (store) p[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

// Blocks that tell their multiprocessor.
__global__ void placed(Word *out)
{
    Word number;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
    if (threadIdx.x == 0) out[blockIdx.x] = number;
}

// Each load of shared memory has the address of the next one.
__global__ void shared_chase(Word *out, int n)
{
    __shared__ Word list[32];
    list[threadIdx.x] = (Word)__cvta_generic_to_shared(list);
    __syncthreads();
    Word at = list[0];
    long long start = clocks();
    for (int i = 0; i < n; i++) asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at));
    long long end = clocks();
    if (threadIdx.x == 0) out[0] = end - start;
    if (at == 12345) out[1] = at;
}

// Conflict-free loads of shared memory by all warps of a multiprocessor.
__global__ void shared_stream(Word *out, int n)
{
    extern __shared__ Word words[];
    words[threadIdx.x] = 0;
    __syncthreads();
    Word own = (Word)__cvta_generic_to_shared(words + threadIdx.x), v[4] = {0, 0, 0, 0};
    long long start = clocks();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 32; j++) {
            Word at = own + v[j % 4];
            asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(v[j % 4]) : "r"(at));
        }
    __syncthreads();
    long long end = clocks();
    if (threadIdx.x == 0) out[blockIdx.x] = end - start;
    if (v[0] + v[1] + v[2] + v[3]) out[0] = 1;
}

__global__ void barriers(Word *out, int n)
{
    __syncthreads();
    long long start = clocks();
    for (int i = 0; i < n; i++)
#pragma unroll
        for (int j = 0; j < 32; j++) __syncthreads();
    long long end = clocks();
    if (threadIdx.x == 0) out[blockIdx.x] = end - start;
}

__global__ void make_list(Long *p, Long count, Long stride)
{
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < count;
         i += (Long)gridDim.x * blockDim.x)
        p[i * stride / 8] = (Long)(p + (i + 1) % count * stride / 8);
}

// Follows a list; `rounds` of them, of which the last is timed.
template <bool L1>
__global__ void chase(Word *out, const Long *p, int n, int rounds)
{
    const Long *at = p;
    long long start = 0;
    for (int round = 0; round < rounds; round++) {
        start = clocks();
        for (int i = 0; i < n; i++)
            if (L1)
                asm volatile("ld.global.ca.b64 %0, [%0];" : "+l"(at));
            else
                asm volatile("ld.global.cg.b64 %0, [%0];" : "+l"(at));
    }
    out[blockIdx.x] = clocks() - start;
    if ((Long)at == 1) out[1] = 1;
}

// Each atomic waits for the one before; they go to places in all parts of L2, since
// some parts are further away than others.
__global__ void atomic_chase(Word *out, Word *p, int n)
{
    Word a = 0;
    long long start = clocks();
    for (int i = 0; i < n; i++)
        asm volatile("atom.global.add.u32 %0, [%1], %0;"
                     : "+r"(a)
                     : "l"(p + (i * 40503 & 0x3fffff))
                     : "memory");
    out[0] = clocks() - start;
    if (a == 12345) out[1] = a;
}

__global__ void fences(Word *out, Word *p, int n, bool store)
{
    long long start = clocks();
    for (int i = 0; i < n; i++) {
        if (store) p[threadIdx.x + i * 32] = i;
        __threadfence();
    }
    long long end = clocks();
    if (threadIdx.x == 0) out[0] = end - start;
}

// Two blocks wait for each other's numbers.
__global__ void ping_pong(volatile Word *flag, int n, Word *out)
{
    long long start = clocks();
    for (int i = 0; i < n; i++) {
        volatile Word *seen = blockIdx.x == 0 ? flag : flag + 64,
                      *told = blockIdx.x == 0 ? flag + 64 : flag;
        Word wanted = blockIdx.x == 0 ? 2 * i : 2 * i + 1;
        while (*seen != wanted) {}
        __threadfence();
        *told = wanted + 1;
    }
    if (blockIdx.x == 0) out[0] = (clocks() - start) / n;
}

// Each warp tells that it is there, and looks back from place to place, until one tells
// about everything before it; what lanes see is summed up each time. Clocks of a look.
__global__ void look_back(volatile Long *told, Word *out)
{
    const Long own = 1, up_to_here = 2;
    int place = blockIdx.x;
    if (threadIdx.x == 0) told[place] = (place == 0 ? up_to_here : own) << 32 | 1;
    long long start = clocks();
    Word sum = 0, looks = 0;
    Long seen = place == 0 ? up_to_here << 32 : 0;
    while (seen >> 32 != up_to_here) {
        place--;
        do {
            seen = told[place];
            looks++;
        } while (seen >> 32 == 0);
        Word of_all = threadIdx.x == 0 ? Word(seen) : 0;
        for (int k = 16; k; k /= 2) of_all += __shfl_xor_sync(~0u, of_all, k);
        sum += of_all;
    }
    if (threadIdx.x != 0) return;
    told[blockIdx.x] = up_to_here << 32 | sum + 1;
    out[blockIdx.x] = looks == 0 ? 0 : (clocks() - start) / looks;
}

__global__ void read_many(const uint4 *p, Long n, Word *out)
{
    Word sum = 0;
    Long step = (Long)gridDim.x * blockDim.x;
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i + 3 * step < n;
         i += 4 * step) {
        uint4 v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) v[k] = __ldcg(p + i + k * step);
#pragma unroll
        for (int k = 0; k < 4; k++) sum += v[k].x;
    }
    if (sum == 12345) out[1] = 1;
}

__global__ void read_once(const uint4 *p, Word *out)
{
    uint4 v = p[blockIdx.x * (Long)blockDim.x + threadIdx.x];
    if (v.x == 12345678) out[1] = 1;
}

__global__ void write_once(uint4 *p)
{
    p[blockIdx.x * (Long)blockDim.x + threadIdx.x] = make_uint4(1, 1, 1, 1);
}

__global__ void write_many(uint4 *p, Long n)
{
    for (Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x; i < n;
         i += (Long)gridDim.x * blockDim.x)
        p[i] = make_uint4(1, 2, 3, 4);
}

__global__ void copy_once(uint4 *to, const uint4 *from)
{
    Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    to[i] = from[i];
}

// Each lane has a sector of its own; `mul` scatters them.
__global__ void scatter_stores(Word *p, Long mask, Word mul)
{
    Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    p[((i * mul) & mask) * 8] = i;
}

__global__ void scatter_loads(const Word *p, Long mask, Word mul, Word *out)
{
    Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    if (p[((i * mul) & mask) * 8] == 12345678) out[1] = 1;
}

__device__ __forceinline__ Word mixed(Word x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// The same at random: a sector may be loaded again before all others were.
__global__ void random_loads(const Word *p, Word mask, Word *out)
{
    Long i = mixed(blockIdx.x * blockDim.x + threadIdx.x) & mask;
    if (p[i * 8] == 12345678) out[1] = 1;
}

__global__ void scatter_reductions(Word *p, Word mask, Word mul, int n)
{
    Word i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        Word at = ((i + k * 977) * mul) & mask;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p + at), "r"(i) : "memory");
    }
}

// The same where each thread wants the value before.
__global__ void scatter_atomics(Word *p, Word mask, Word mul, int n, Word *out)
{
    Word i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++)
        sum += atomicAdd(p + (((i + k * 977) * mul) & mask), 1u);
    if (sum == 1) *out = sum;
}

// The same where each thread loads a word, past L1, before it swaps it.
__global__ void scatter_swaps(Word *p, Word mask, Word mul, int n, Word *out)
{
    Word i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (int k = 0; k < n; k++) {
        Word *at = p + (((i + k * 977) * mul) & mask);
        Word before = __ldcg(at);
        sum += atomicCAS(at, before, before + 1);
    }
    if (sum == 1) *out = sum;
}

// One lane of each warp adds to a sector of its own.
__global__ void lone_reductions(Word *p, Word mask, int n)
{
    Word i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < n; k++)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p + ((i + k) & mask) * 8),
                         "r"(i)
                         : "memory");
}

// One lane of each warp adds to one word.
__global__ void lone_sums(float *p, int n)
{
    if (threadIdx.x % 32 == 0)
        for (int k = 0; k < n; k++)
            asm volatile("red.global.add.f32 [%0], %1;" ::"l"(p), "f"(1.0f) : "memory");
}

// One lane of each warp stores to two words in turn, and loads in between, so that no
// store joins the one before.
__global__ void lone_stores(Word *p, const Word *q, Word mask, int n)
{
    Word i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    for (int k = 0; k < n; k++) {
        Word value;
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(q + ((i * 7919 + k * 104729) & mask)));
        if (threadIdx.x % 32 == 0)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(p + (i + k) % 2 * 128),
                         "r"(value)
                         : "memory");
    }
}

// Blocks that update one word, the same for all, and beside it load 16 bytes a thread,
// or store them, or do neither.
__global__ void updated_beside(Word *p, uint4 *q, Word mask, int what)
{
    const Word i = (blockIdx.x * blockDim.x + threadIdx.x) & mask;
    uint4 v = make_uint4(1, 1, 1, 1);
    if (what == 1) v = q[i];
    if (what == 2) q[i] = v;
    if (threadIdx.x == 0) atomicAdd(p, v.x | 1);
}

// Reads with U loads of a thread under way at once.
template <int U>
__global__ void in_flight(const Word *p, Word n, Word *out)
{
    Word sum = 0, step = gridDim.x * blockDim.x;
    for (Word i = blockIdx.x * blockDim.x + threadIdx.x; i + (U - 1) * step < n;
         i += U * step) {
        Word v[U];
#pragma unroll
        for (int k = 0; k < U; k++) v[k] = p[i + k * step];
#pragma unroll
        for (int k = 0; k < U; k++) sum += v[k];
    }
    if (sum == 12345) out[1] = 1;
}

// Rounds in which some lanes of a warp load a word each, of places that are 2 KiB apart
// and chosen anew by what the round before gave.
__global__ void apart_loads(const Word *p, Word places, int lanes, int rounds,
                            Word *out)
{
    Word t = threadIdx.x, next = blockIdx.x * 977, sum = 0;
    long long start = clocks();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        Word place = (next + t * 104729) * 2654435761u >> 15 & places - 1, value = 0;
        if (t < lanes) value = __ldcg(p + place * 512);
        sum = __reduce_add_sync(~0u, value);
        next = next * 2246822519u + 12345 + sum;
    }
    long long end = clocks();
    if (t == 0) out[blockIdx.x] = end - start;
    if (next == 77) out[1] = 1;
}

// Rounds of eight loads that hit and of sixteen operations for each of them; from
// global memory, or from shared memory.
template <bool GLOBAL>
__global__ void fed(const Word *from, Word *out, int rounds, int step)
{
    __shared__ float own[1024];
    for (int i = threadIdx.x; i < 1024; i += blockDim.x) own[i] = i;
    const char *p = (const char *)(from + threadIdx.x % 32);
    Word s = (Word)__cvta_generic_to_shared(own + threadIdx.x % 32);
    float v[8], sum[16];
    for (int i = 0; i < 16; i++) sum[i] = threadIdx.x + i;
    for (int i = 0; i < 8; i++) v[i] = i;
    __syncthreads();
    long long start = clocks();
#pragma unroll 1
    for (int r = 0; r < rounds; r++) {
        p += step;
        s += step;
#pragma unroll
        for (int i = 0; i < 8; i++) {
            if (GLOBAL)
                asm volatile("ld.global.ca.f32 %0, [%1];"
                             : "=f"(v[i])
                             : "l"(p + i * 512));
            else
                asm volatile("ld.shared.f32 %0, [%1];" : "=f"(v[i]) : "r"(s + i * 512));
        }
#pragma unroll
        for (int i = 0; i < 8; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum[i]) : "f"(v[i]));
        // One register each, so that no two are in one bank.
#pragma unroll
        for (int k = 8; k < 128; k++)
            asm volatile("mul.rn.f32 %0, %0, 0f3F800001;" : "+f"(sum[k % 16]));
    }
    __syncthreads();
    long long end = clocks();
    float all = 0;
    for (int i = 0; i < 16; i++) all += sum[i];
    if (threadIdx.x == 0) out[blockIdx.x] = end - start;
    if (all == 1234.5f || (Word)(Long)p + s == 77) out[1] = 1;
}

// Each thread copies a word and waits for it before it takes the next one.
__global__ void copy_waiting(Word *to, const Word *from, Word n)
{
    Word step = gridDim.x * blockDim.x;
    for (Word i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        to[i] = from[i];
}

// Each thread stores N words next to each other, one after the other.
template <int N>
__global__ void store_words(Word *p)
{
    Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
#pragma unroll
    for (int k = 0; k < N; k++)
        asm volatile("st.global.u32 [%0], %1;" ::"l"(p + i * N + k), "r"(k) : "memory");
}

// Operations that wait for each other.
template <int N>
static __device__ void operations(Word &v, Word y)
{
#pragma unroll
    for (int i = 0; i < N; i++)
        asm volatile("lop3.b32 %0, %0, %1, %0, 0x96;" : "+r"(v) : "r"(y));
}

// A loop of N operations that wait for each other; the branch at its end is taken.
template <int N>
__global__ void rounds(Word *out, int n, Word y)
{
    Word v = y + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < n; r++) operations<N>(v, y);
    if (v == 77) out[0] = 1;
}

// N times a round lanes ask whether to do 24 operations, and all do.
template <int N>
__global__ void guarded(Word *out, int n, Word y)
{
    Word v = y + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < n; r++) {
#pragma unroll
        for (int i = 0; i < N; i++) {
            if (v != i) operations<24>(v, y);
            operations<8>(v, y);
        }
    }
    if (v == 77) out[0] = 1;
}

static __device__ __noinline__ Word function(Word v, Word y)
{
    operations<8>(v, y);
    return v;
}

__global__ void called(Word *out, int n, Word y)
{
    Word v = y + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < n; r++) {
        v = function(v, y);
        operations<8>(v, y);
    }
    if (v == 77) out[0] = 1;
}

// Lanes add up in groups of neighbours, as many as `size`: one group after the other.
__global__ void grouped(Word *out, int n, Word size)
{
    Word t = threadIdx.x, sum = t;
    Word group = (size == 32 ? ~0u : (1u << size) - 1) << t / size * size;
    long long start = clocks();
#pragma unroll 1
    for (int r = 0; r < n; r++) sum = __reduce_add_sync(group, sum);
    long long end = clocks();
    if (t == 0) out[0] = end - start;
    if (sum == 77) out[1] = 1;
}

// Multiplications and additions of three different registers, of which two are even or
// two are odd.
__global__ void operands(Word *out, int n, float x)
{
    float v[8];
#pragma unroll
    for (int i = 0; i < 8; i++) v[i] = x + i + threadIdx.x;
#pragma unroll 1
    for (int r = 0; r < n; r++)
#pragma unroll
        for (int i = 0; i < 64; i++)
            asm volatile("fma.rn.f32 %0, %1, %2, %0;"
                         : "+f"(v[i % 8])
                         : "f"(v[(i + 1) % 8]), "f"(v[(i + 2) % 8]));
    float sum = 0;
    for (int i = 0; i < 8; i++) sum += v[i];
    if (sum == 1234.5f) out[0] = 1;
}

// N operations without a branch, so many times; the last time is told.
template <int N>
__global__ void straight(Word *out, float x, int rounds)
{
    float v[4] = {x, x + 1, x + 2, x + 3};
#pragma unroll 1
    for (int round = 0; round < rounds; round++) {
        long long start = clocks();
#pragma unroll
        for (int i = 0; i < N; i++)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(v[i % 4]) : "f"(x));
        long long end = clocks();
        if (threadIdx.x == 0) out[blockIdx.x] = end - start;
    }
    if (v[0] + v[1] + v[2] + v[3] == 1234.5f) out[0] = 1;
}

static Word *out;
static char *a, *b;
static cudaEvent_t before, after;
static const Long GIB = 1ull << 30;

static void check(const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(3);
    }
}

// Median of five, in microseconds, with caches that hold something else, which was only
// read: nothing has to be written back for it.
template <class Work>
static double us(Work work)
{
    std::vector<float> times;
    for (int run = 0; run < 6; run++) {
        cudaMemset(b, run, 512u << 20);
        read_many<<<1024, 256>>>((uint4 *)(b + (512u << 20)), (512u << 20) / 16, out);
        cudaEventRecord(before);
        work();
        cudaEventRecord(after);
        cudaEventSynchronize(after);
        float ms;
        cudaEventElapsedTime(&ms, before, after);
        if (run) times.push_back(ms);
    }
    check("a timed launch");
    std::sort(times.begin(), times.end());
    return times[times.size() / 2] * 1000.0;
}

// What blocks wrote to `out`: the mean over the blocks, the median over four launches
// of which the first is not counted.
template <class Work>
static double told(Work work, int blocks = 1)
{
    std::vector<Word> values(blocks);
    std::vector<double> means;
    for (int run = 0; run < 4; run++) {
        work();
        cudaMemcpy(values.data(), out, blocks * 4, cudaMemcpyDeviceToHost);
        double sum = 0;
        for (Word value : values) sum += value;
        if (run) means.push_back(sum / blocks);
    }
    check("a launch that tells its clocks");
    std::sort(means.begin(), means.end());
    return means[means.size() / 2];
}

static void print(const char *name, double value) { printf("%s\t%.6g\n", name, value); }

// Multiprocessors that get a second block before all others have one, and the blocks at
// which their turns begin.
static void turns_of_those_apart(int multiprocessors)
{
    // All have a place from the beginning.
    const int blocks = 16 * multiprocessors;
    placed<<<blocks, 64>>>((Word *)a);
    check("a launch that tells its multiprocessors");
    std::vector<Word> of(blocks);
    cudaMemcpy(of.data(), a, blocks * sizeof(Word), cudaMemcpyDeviceToHost);
    std::vector<int> got(multiprocessors, 0);
    std::vector<bool> apart(multiprocessors, false);
    int seen = 0, count = 0;
    for (int block = 0; block < blocks && seen < multiprocessors; block++) {
        int &own = got[of[block]];
        if (own == 0) seen++;
        if (own == 1) {
            apart[of[block]] = true;
            count++;
        }
        own++;
    }
    std::vector<int> turns;
    for (int block = 0; block < blocks; block++)
        if (apart[of[block]] && (block == 0 || !apart[of[block - 1]]))
            turns.push_back(block);
    // The last turns wait until the others have caught up.
    const size_t later = std::min<size_t>(turns.size(), 10);
    print("apart", count);
    print("apart_first", later > 1 ? turns[1] - turns[0] : 0);
    print("apart_every", later > 2 ? (turns[later - 1] - turns[1]) / (later - 2.0) : 0);
}

static void round_of_all(int multiprocessors)
{
    const int S = multiprocessors;
    Long *timer = (Long *)b, both[2];
    clock_against_timer<<<1, 1>>>(timer);
    clock_against_timer<<<1, 1>>>(timer);
    cudaMemcpy(both, timer, 16, cudaMemcpyDeviceToHost);
    const double mhz = both[0] * 1000.0 / both[1];
    print("clock_mhz", mhz);

    print("launch_us", us([&] { empty_kernel<<<1, 256>>>(); }));
    auto queue = [&](int count) {
        return us([&] {
            for (int i = 0; i < count; i++) store_one<<<S, 256>>>((Word *)a);
        });
    };
    print("next_launch_us", (queue(20) - queue(1)) / 19);
    auto blocks = [&](int count) {
        return us([&] { empty_kernel<<<count, 256>>>(); });
    };
    print("block_start", (blocks(524288) - blocks(8448)) * mhz / (524288 - 8448));
    auto waves = [&](int count, bool store) {
        return us([&] { spin<<<S * 8 * count, 256>>>(8000, (Word *)a, store); }) * mhz;
    };
    double wave = (waves(9, false) - waves(1, false)) / 8,
           storing = (waves(9, true) - waves(1, true)) / 8;
    print("block_latency", wave - 8000);
    print("drain", storing - wave);

    turns_of_those_apart(S);

    print("shared_latency", told([&] { shared_chase<<<1, 32>>>(out, 4096); }) / 4096);
    print("shared_wavefronts",
          32.0 * 32 * 10 / told([&] { shared_stream<<<S, 1024, 4096>>>(out, 10); }, S));
    auto barrier = [&](int warps) {
        return told([&] { barriers<<<1, 32 * warps>>>(out, 20); }) / (32 * 20);
    };
    double two = barrier(2), all = barrier(32);
    print("barrier_per_warp", (all - two) / 30);
    print("barrier_latency", two - 2 * (all - two) / 30);
    auto list = [&](Long bytes, Long stride) {
        make_list<<<1024, 256>>>((Long *)a, bytes / stride, stride);
    };
    list(16384, 64);
    print("l1_latency",
          told([&] { chase<true><<<1, 1>>>(out, (Long *)a, 256, 2); }) / 256);
    list(8 << 20, 8192);
    const double again =
        told([&] { chase<false><<<1, 1>>>(out, (Long *)a, 1024, 2); }) / 1024;
    print("l2_latency", again);
    // Half of the lines lie on the other side of L2, and of these half were stored from
    // there: a quarter is far the first time, and near from then on.
    const double first = told([&] {
                             make_list<<<1024, 1>>>((Long *)a, 1024, 8192);
                             chase<false><<<1, 1>>>(out, (Long *)a, 1024, 1);
                         }) /
                         1024;
    print("l2_far", 4 * (first - again));
    // Neighbouring lines, so that those who are ahead are now on the one side, now on
    // the other.
    list(8 << 20, 128);
    print("dram_together", told(
                               [&] {
                                   cudaMemset(b, 1, 512u << 20);
                                   chase<false><<<S, 1>>>(out, (Long *)a, 1024, 1);
                               },
                               S) /
                               1024);
    list(8 << 20, 8192);
    print("dram_latency", told([&] {
                              cudaMemset(b, 1, 512u << 20);
                              chase<false><<<1, 1>>>(out, (Long *)a, 1024, 1);
                          }) / 1024);
    cudaMemset(a, 0, GIB);
    print("atomic_latency",
          told([&] { atomic_chase<<<1, 1>>>(out, (Word *)a, 200); }) / 200);
    double fence = told([&] { fences<<<1, 32>>>(out, (Word *)a, 200, false); }) / 200;
    print("fence_latency", fence);
    print("store_latency",
          told([&] { fences<<<1, 32>>>(out, (Word *)a, 200, true); }) / 200);
    double there_and_back = 0;
    const int places = 16;
    for (int place = 0; place < places; place++) {
        Word *flag = (Word *)a + place * 40503 * 64;
        there_and_back += told([&] {
            cudaMemset(flag, 0, 1024);
            ping_pong<<<2, 1>>>(flag, 200, out);
        });
    }
    print("hand_over", there_and_back / places / 2 - fence);
    const int looking = 8 * S;
    print("look_round", told(
                            [&] {
                                cudaMemset(a, 0, looking * 8);
                                look_back<<<looking, 32>>>((Long *)a, out);
                            },
                            looking));

    auto clocks_of = [&](double time) { return time * mhz; };
    auto reread = [&](Long mib) {
        return us([&] {
                   for (int k = 0; k < 10; k++)
                       read_many<<<S * 4, 512>>>((uint4 *)a, mib << 16, out);
               }) /
               10;
    };
    print("l2_read_sectors", (16 << 15) / clocks_of(reread(32) - reread(16)));
    auto rewrite = [&](Long mib) {
        return us([&] {
                   for (int k = 0; k < 8; k++)
                       write_many<<<S * 4, 512>>>((uint4 *)a, mib << 16);
               }) /
               8;
    };
    const double l2_writes = (16 << 15) / clocks_of(rewrite(32) - rewrite(16));
    print("l2_write_sectors", l2_writes);
    auto by_one = [&](Long mib) {
        return us([&] { write_many<<<1, 1024>>>((uint4 *)a, mib << 16); });
    };
    print("store_sectors", (8 << 15) / clocks_of(by_one(16) - by_one(8)));
    const Word few = (1u << 16) - 1, odd = 2654435761u;
    const int many = 1 << 24;
    print("l2_read_lines", many / clocks_of(us([&] {
                               scatter_loads<<<many / 256, 256>>>((Word *)a, few, odd,
                                                                  out);
                           })));
    print("l2_write_lines", many / clocks_of(us([&] {
                                scatter_stores<<<many / 256, 256>>>((Word *)a, few,
                                                                    odd);
                            })));
    const double partial =
        many /
        clocks_of(us([&] { scatter_stores<<<many / 256, 256>>>((Word *)a, few, 1); }));
    print("l2_partial_sectors", partial);
    auto red = [&](int log, Word mul) {
        return clocks_of(us([&] {
            scatter_reductions<<<4096, 256>>>((Word *)a, (1u << log) - 1, mul, 16);
        }));
    };
    print("l2_atomic_sectors", many / red(20, odd));
    const double returning = clocks_of(us([&] {
        scatter_atomics<<<4096, 256>>>((Word *)a, (1u << 20) - 1, odd, 16, out);
    }));
    print("l2_returning_sectors", many / returning);
    const double swapping = clocks_of(us([&] {
        scatter_swaps<<<4096, 256>>>((Word *)a, (1u << 20) - 1, odd, 16, out);
    }));
    print("l2_updated_lines", many / (swapping - returning));
    print("same_sector", red(3, 1) / (many / 32 * 4));
    auto lone = [&](int log) {
        return clocks_of(us(
            [&] { lone_reductions<<<4096, 256>>>((Word *)a, (1u << log) - 1, 16); }));
    };
    const double once = many / 32;
    double one = lone(0);
    print("same_element", one / once);
    print("same_sum",
          clocks_of(us([&] { lone_sums<<<4096, 256>>>((float *)a, 16); })) / once);
    print("same_store", clocks_of(us([&] {
                            lone_stores<<<4096, 256>>>((Word *)a, (Word *)b,
                                                       (1u << 20) - 1, 16);
                        })) /
                            once);
    auto beside = [&](int what) {
        const Word of_l2 = (1u << 19) - 1;
        return clocks_of(us([&] {
            updated_beside<<<1 << 16, 256>>>((Word *)a, (uint4 *)b, of_l2, what);
        }));
    };
    const double updates = beside(0);
    print("beside_line", (beside(1) - updates) / (1 << 21));
    print("beside_sector", (beside(2) - updates) / (1 << 23));
    print("atomic_sectors_8", lone(3) / once);
    print("atomic_sectors_32", lone(5) / once);
    print("atomic_sectors_2048", lone(11) / once);

    auto whole = [&](Long bytes, int what) {
        const int grid = bytes / 16 / 256;
        return clocks_of(us([&] {
            if (what == 0) read_once<<<grid, 256>>>((uint4 *)a, out);
            if (what == 1) write_once<<<grid, 256>>>((uint4 *)a);
            if (what == 2) copy_once<<<grid, 256>>>((uint4 *)b, (uint4 *)a);
        }));
    };
    auto rate = [&](int what, int times) {
        return times * 0.75 * GIB / (whole(GIB, what) - whole(GIB / 4, what));
    };
    const double reading = rate(0, 1), mixed = rate(2, 2);
    print("dram_read_bytes", reading);
    print("dram_write_bytes", rate(1, 1));
    print("dram_mixed_bytes", mixed);
    auto apart = [&](int count) {
        return clocks_of(us([&] {
            scatter_loads<<<count / 256, 256>>>((Word *)a, GIB / 32 - 1, odd, out);
        }));
    };
    print("dram_rows", 0.75 * many / (apart(many) - apart(many / 4)));
    const Word held = 1u << 26;
    auto random = [&](Long bytes) {
        auto of = [&](int count) {
            return clocks_of(us([&] {
                random_loads<<<count / 256, 256>>>((Word *)a, bytes / 32 - 1, out);
            }));
        };
        return of(many) - of(many / 4);
    };
    print("l2_shared_bytes", held * (1 - random(held) / random(GIB)));
    // What of a copy is not written when it ends: what it takes beyond its beginning,
    // which reading alone shows.
    auto kept = [&](double bytes) {
        double begin = whole(bytes, 0) - bytes / reading;
        return 2 * bytes - (whole(bytes, 2) - begin) * mixed;
    };
    print("l2_dirty_bytes", kept(GIB / 8));

    auto apart_of = [&](int lanes, bool cold) {
        const int rounds = cold ? 16 : 64;
        return told(
                   [&] {
                       if (cold)
                           read_many<<<1024, 256>>>((uint4 *)b, (512u << 20) / 16, out);
                       apart_loads<<<S, 32>>>((Word *)a, cold ? 1 << 17 : 1 << 12,
                                              lanes, rounds, out);
                   },
                   S) /
               rounds;
    };
    const double hits = apart_of(32, false) - apart_of(1, false),
                 misses = apart_of(32, true) - apart_of(1, true);
    // The longest of 32 exponential times is 1/2 + 1/3 + ... + 1/32 of the mean above
    // it.
    double longest = 0;
    for (int n = 2; n <= 32; n++) longest += 1.0 / n;
    print("dram_spread", (misses - hits) / longest);
    // Lines leave one a clock.
    print("l2_spread", (hits - 31) / longest);

    // Rounds of loads: clocks of each, and the part of the time for which memory works.
    const Word words = 1u << 25;
    const double begins = clocks_of(us([&] { empty_kernel<<<S, 256>>>(); }));
    auto round_of = [&](double clocks, int blocks, int loads) {
        return (clocks - begins) / (words / (blocks * 256.0 * loads));
    };
    auto loads = [&](int blocks) {
        return round_of(clocks_of(us([&] {
                            in_flight<1><<<blocks, 256>>>((Word *)a, words, out);
                        })),
                        blocks, 1);
    };
    auto copies = [&](int blocks) {
        return round_of(clocks_of(us([&] {
                            copy_waiting<<<blocks, 256>>>((Word *)b, (Word *)a, words);
                        })),
                        blocks, 1);
    };
    auto crowd = [&](double clocks, int blocks, double bytes, double rate) {
        double used = blocks * 256 * bytes / clocks / rate;
        return used / (1 - used);
    };
    const double alone = loads(S), crowded = loads(8 * S), copy = copies(S),
                 copying = copies(8 * S);
    const double few_of = crowd(alone, S, 4, reading);
    const double crowding =
        (crowded - alone) / (crowd(crowded, 8 * S, 4, reading) - few_of);
    print("dram_crowding", crowding);
    const double few_copies = crowd(copy, S, 8, mixed);
    const double turning =
        (copying - copy) / (crowd(copying, 8 * S, 8, mixed) - few_copies);
    print("dram_mixed_crowding", turning);
    print("dram_turning", copy - alone - (turning * few_copies - crowding * few_of));

    // Stores of N words by each of eight warps at a time: how many lines they can touch
    // so that at least half of the stores join others.
    const Word stored = 1 << 22;
    int joined = 1;
    auto joins = [&](int n, double clocks) {
        double least = stored / 8 / l2_writes, apart = stored / partial;
        if (clocks - begins < (least + apart) / 2) joined = n;
    };
#define STORES(N)                                                                      \
    joins(N, clocks_of(                                                                \
                 us([&] { store_words<N><<<stored / N / 256, 256>>>((Word *)a); })))
    STORES(2);
    STORES(3);
    STORES(4);
    STORES(5);
    STORES(6);
    STORES(7);
    print("store_lines", 8 * joined);

    auto of_round = [&](void (*kernel)(Word *, int, Word)) {
        double time = clocks_of(us([&] { kernel<<<S, 128>>>(out, 2000, 3); }));
        return (time - begins) / 2000;
    };
    // The last of sixteen operations is issued 63 clocks behind the first one's issue.
    const double branch = of_round(rounds<16>) - 63;
    print("branch", branch);
    // By their stall counts the others of a guarded part take 149 clocks, and those of
    // a round with a call, but for the three jumps, 68.
    print("converge", of_round(guarded<2>) - of_round(guarded<1>) - 149);
    print("call", (of_round(called) - branch - 68) / 2);
    // What each further group takes, but for 38 clocks of the sum and 7 of the others.
    auto of_groups = [&](int groups) {
        return told([&] { grouped<<<1, 32>>>(out, 256, 32 / groups); }) / 256;
    };
    print("part", ((of_groups(32) - of_groups(8)) / 24 - 45) / 2);
    // Sixteen warps of a partition; three registers from two banks.
    print("register_read",
          (clocks_of(us([&] { operands<<<2 * S, 1024>>>(out, 100, 1.5f); })) - begins) /
              (100 * 64 * 16) / 1.5);
    auto feeding = [&](void (*kernel)(const Word *, Word *, int, int)) {
        return told([&] { kernel<<<S, 512>>>((Word *)a, out, 256, 0); }, S) /
               (256 * 8 * 4);
    };
    print("dispatch_global", feeding(fed<true>) - feeding(fed<false>));
    double near = 0, shared = 0, near_line = 0, far_line = 0;
    auto code = [&](int instructions, double clocks) {
        double line = clocks / (instructions / 8);
        // Eight clocks a line are those of its instructions.
        if (line < 10)
            near = instructions * 16.0;
        else if (line < 30)
            shared = instructions * 16.0, near_line = near_line ? near_line : line;
        else
            far_line = line;
    };
#define STRAIGHT(N) code(N, told([&] { straight<N><<<1, 32>>>(out, 1.5f, 2); }))
    STRAIGHT(1024);
    STRAIGHT(2048);
    STRAIGHT(4096);
    STRAIGHT(8192);
    STRAIGHT(16384);
    print("code_bytes", near);
    print("code_line", near_line);
    print("shared_code_bytes", shared);
    print("far_code_line", far_line);
    print("cold_code_line", told([&] {
                                read_many<<<1024, 256>>>((uint4 *)b, (512u << 20) / 16,
                                                         out);
                                straight<16384><<<1, 32>>>(out, 1.5f, 1);
                            }) / (16384 / 8));
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    int multiprocessors = 0;
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
    cudaMalloc(&out, 1 << 20);
    cudaMalloc(&a, GIB);
    cudaMalloc(&b, GIB);
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    check("1 GiB of memory, twice");
    for (int round = 0; round < rounds; round++) round_of_all(multiprocessors);
    check("the end");
    return 0;
}
