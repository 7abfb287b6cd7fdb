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
    out[0] = clocks() - start;
    if ((Long)at == 1) out[1] = 1;
}

__global__ void atomic_chase(Word *out, Word *p, int n)
{
    Word a = 0;
    long long start = clocks();
    for (int i = 0; i < n; i++)
        asm volatile("atom.global.add.u32 %0, [%1], %0;" : "+r"(a) : "l"(p) : "memory");
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

__global__ void scatter_reductions(Word *p, Word mask, Word mul, int n)
{
    Word i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n; k++) {
        Word at = ((i + k * 977) * mul) & mask;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p + at), "r"(i) : "memory");
    }
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

// Median of five, in microseconds, with caches that hold something else.
template <class Work>
static double us(Work work)
{
    std::vector<float> times;
    for (int run = 0; run < 6; run++) {
        cudaMemset(b, run, 512u << 20);
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
    print("l2_latency",
          told([&] { chase<false><<<1, 1>>>(out, (Long *)a, 1024, 2); }) / 1024);
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
    print("hand_over", told([&] {
                           cudaMemset(a, 0, 1024);
                           ping_pong<<<2, 1>>>((Word *)a, 200, out);
                       }) / 2 -
                           fence);

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
    print("l2_write_sectors", (16 << 15) / clocks_of(rewrite(32) - rewrite(16)));
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
    print("l2_partial_sectors",
          many / clocks_of(us(
                     [&] { scatter_stores<<<many / 256, 256>>>((Word *)a, few, 1); })));
    auto red = [&](int log, Word mul) {
        return clocks_of(us([&] {
            scatter_reductions<<<4096, 256>>>((Word *)a, (1u << log) - 1, mul, 16);
        }));
    };
    print("l2_atomic_sectors", many / red(20, odd));
    print("same_sector", red(3, 1) / (many / 32 * 4));
    auto lone = [&](int log) {
        return clocks_of(us(
            [&] { lone_reductions<<<4096, 256>>>((Word *)a, (1u << log) - 1, 16); }));
    };
    const double once = many / 32;
    double one = lone(0);
    print("same_element", one / once);
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
    print("dram_read_bytes", rate(0, 1));
    print("dram_write_bytes", rate(1, 1));
    print("dram_mixed_bytes", rate(2, 2));
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
