// What single machine instructions take: for each of them a warp that executes it in a
// chain, each waiting for the one before (its latency), and a multiprocessor full of
// warps that execute it independently of each other (the clocks that it keeps a pipe of
// one partition busy). `warpbook calibrate` compiles this file with nvcc for the GPU's
// architecture and reads what it prints: the measurement's name, a tab, `latency` or
// `clocks`, a tab, the value. No kernel of the workbook is in here.
//
// Instructions are written as PTX, from which ptxas makes one machine instruction each;
// where it makes several (`vote`, `f2f`), the value is that of all of them.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda_fp16.h>
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

// Warps of a block for throughput: 8 for each of four partitions.
static const int WARPS = 32;
// Instructions of a round, and rounds.
static const int CHAIN = 64, ROUNDS = 32;

struct Result {
    long long from, to;
};

// `Step::step(x, i, own)` executes the instruction once on one of four values.
template <class Step, int VALUES>
__global__ void stepped(Result *out, Word seed, Word *memory)
{
    typename Step::Value v[VALUES];
    Word own = Step::prepare(memory);
    for (int i = 0; i < VALUES; i++) v[i] = Step::first(seed + threadIdx.x * 4 + i);
    typename Step::Value b = Step::first(seed ^ 0x3f800001u),
                         c = Step::first(seed + 0x3f000003u);
    for (int warm = 0; warm < 2; warm++) {
        __syncthreads();
        long long from = clocks();
        for (int round = 0; round < ROUNDS; round++)
#pragma unroll
            for (int i = 0; i < CHAIN; i++) Step::step(v[i % VALUES], b, c, own);
        // The value must be there before the clock is read.
        for (int i = 0; i < VALUES; i++) Step::keep(v[i]);
        long long to = clocks();
        if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = {from, to};
    }
    for (int i = 0; i < VALUES; i++) Step::store(v[i], memory);
}

template <class T>
struct Common {
    typedef T Value;
    static __device__ Word prepare(Word *) { return 0; }
    static __device__ T first(Word bits) { return (T)bits; }
    static __device__ void store(T v, Word *memory)
    {
        if (v == (T)12345) memory[1] = 1;
    }
};
struct U32 : Common<Word> {
    static __device__ void keep(Word &v) { asm volatile("" : "+r"(v)::"memory"); }
};
struct U64 : Common<Long> {
    static __device__ void keep(Long &v) { asm volatile("" : "+l"(v)::"memory"); }
};
struct F32 : Common<float> {
    static __device__ float first(Word bits) { return __uint_as_float(bits); }
    static __device__ void keep(float &v) { asm volatile("" : "+f"(v)::"memory"); }
};
struct F64 : Common<double> {
    static __device__ double first(Word bits) { return 1.0 + bits * 1e-10; }
    static __device__ void keep(double &v) { asm volatile("" : "+d"(v)::"memory"); }
};

#define STEP(NAME, TYPE, LETTER, TEXT)                                                 \
    struct NAME : TYPE {                                                               \
        static __device__ void step(Value &x, Value b, Value c, Word)                  \
        {                                                                              \
            asm volatile(TEXT : "+" LETTER(x) : LETTER(b), LETTER(c));                 \
        }                                                                              \
    };

namespace step
{
STEP(lop3, U32, "r", "lop3.b32 %0, %0, %1, %2, 0x96;")
STEP(shf, U32, "r", "shf.l.wrap.b32 %0, %0, %1, %2;")
STEP(prmt, U32, "r", "prmt.b32 %0, %0, %1, %2;")
STEP(imad, U32, "r", "mad.lo.u32 %0, %0, %1, %2;")
STEP(imad_hi, U32, "r", "mul.hi.u32 %0, %0, %1;")
STEP(idp, U32, "r", "dp4a.u32.u32 %0, %0, %1, %2;")
// All lanes of a warp meet; ptxas does not know that the mask has all.
struct warpsync : U32 {
    static __device__ Word prepare(Word *memory)
    {
        return __match_any_sync(0xffffffff, memory[2]);
    }
    static __device__ void step(Word &x, Word b, Word, Word mask)
    {
        asm volatile("bar.warp.sync %2;\n\tlop3.b32 %0, %0, %1, %1, 0x96;"
                     : "+r"(x)
                     : "r"(b), "r"(mask)
                     : "memory");
    }
};
STEP(popc, U32, "r", "popc.b32 %0, %0;")
STEP(flo, U32, "r", "bfind.u32 %0, %0;")
STEP(i2f, U32, "r", "{.reg .f32 t; cvt.rn.f32.u32 t, %0; mov.b32 %0, t;}")
STEP(f2i, U32, "r", "{.reg .f32 t; mov.b32 t, %0; cvt.rzi.s32.f32 %0, t;}")
STEP(vote, U32, "r",
     "{.reg .pred p; setp.ne.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, 0xffffffff;}")
STEP(shfl, U32, "r", "shfl.sync.bfly.b32 %0, %0, 1, 0x1f, 0xffffffff;")
STEP(redux, U32, "r", "redux.sync.add.u32 %0, %0, 0xffffffff;")
STEP(match, U32, "r", "match.any.sync.b32 %0, %0, 0xffffffff;")
STEP(ffma, F32, "f", "fma.rn.f32 %0, %0, %1, %2;")
STEP(fadd, F32, "f", "add.f32 %0, %0, %1;")
STEP(fmnmx, F32, "f", "{.reg .f32 t; min.f32 t, %0, %1; max.f32 %0, t, %2;}")
STEP(mufu_ex2, F32, "f", "ex2.approx.ftz.f32 %0, %0;")
STEP(mufu_rsq, F32, "f", "rsqrt.approx.ftz.f32 %0, %0;")
STEP(mufu_lg2, F32, "f", "lg2.approx.ftz.f32 %0, %0;")
STEP(dadd, F64, "d", "add.f64 %0, %0, %1;")
STEP(dmul, F64, "d", "mul.f64 %0, %0, %1;")
STEP(dfma, F64, "d", "fma.rn.f64 %0, %0, %1, %2;")
STEP(f2f, F64, "d", "{.reg .f32 t; cvt.rn.f32.f64 t, %0; cvt.f64.f32 %0, t;}")
STEP(i2d, F64, "d", "{.reg .b32 t, u; mov.b64 {t, u}, %0; cvt.rn.f64.s32 %0, u;}")
STEP(d2i, F64, "d", "{.reg .b32 t; cvt.rzi.s32.f64 t, %0; mov.b64 %0, {t, t};}")
STEP(hfma2, U32, "r", "fma.rn.f16x2 %0, %0, %1, %2;")
STEP(hadd2, U32, "r", "add.f16x2 %0, %0, %1;")
STEP(hfma2_bf16, U32, "r", "fma.rn.bf16x2 %0, %0, %1, %2;")

struct imad_wide : U64 {
    static __device__ void step(Long &x, Long b, Long, Word)
    {
        asm volatile("{.reg .b32 t, u; mov.b64 {t, u}, %0; mad.wide.u32 %0, t, %1, %0;}"
                     : "+l"(x)
                     : "r"((Word)b));
    }
};

__shared__ __align__(16) Word room[2048];
__constant__ Word table[2048];

// Loads and atomics of shared memory: each word holds its own address, which is where
// the next one goes.
template <int WORDS>
struct Lds : U32 {
    static __device__ Word prepare(Word *)
    {
        for (int i = threadIdx.x; i < 2048; i += blockDim.x)
            room[i] = (Word)__cvta_generic_to_shared(room + i);
        __syncthreads();
        return 0;
    }
    static __device__ Word first(Word)
    {
        return (Word)__cvta_generic_to_shared(room + threadIdx.x % 32 * WORDS);
    }
    static __device__ void step(Word &x, Word, Word, Word)
    {
        Word at = x, y, z, w;
        if (WORDS == 1)
            asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(x) : "r"(at));
        if (WORDS == 2)
            asm volatile("ld.volatile.shared.v2.b32 {%0, %1}, [%2];"
                         : "=r"(x), "=r"(y)
                         : "r"(at));
        if (WORDS == 4)
            asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
                         : "r"(at));
    }
};
typedef Lds<1> lds_32;
typedef Lds<2> lds_64;
typedef Lds<4> lds_128;
struct atoms_add : Lds<1> {
    static __device__ void step(Word &x, Word, Word, Word)
    {
        asm volatile("atom.shared.add.u32 %0, [%0], 0;" : "+r"(x));
    }
};
struct atoms_cas : Lds<1> {
    static __device__ void step(Word &x, Word, Word, Word)
    {
        asm volatile("atom.shared.cas.b32 %0, [%0], 1, 1;" : "+r"(x));
    }
};
// Constants: all lanes ask for the same word, or for `LANES` different ones.
template <int LANES>
struct Ldc : U32 {
    static __device__ Word prepare(Word *) { return threadIdx.x % LANES * 4; }
    static __device__ Word first(Word) { return 0; }
    static __device__ void step(Word &x, Word, Word, Word own)
    {
        asm volatile("{.reg .b64 t; cvt.u64.u32 t, %1; ld.const.b32 %0, [t];}"
                     : "=r"(x)
                     : "r"((Word)__cvta_generic_to_constant(table) + own + x)
                     : "memory");
    }
};
typedef Ldc<1> ldc_1;
typedef Ldc<8> ldc_8;
typedef Ldc<32> ldc_32;

struct Tile {
    Word x[4];
};
template <class T>
struct Products {
    typedef Tile Value;
    static __device__ Word prepare(Word *) { return 0; }
    static __device__ Tile first(Word) { return {{0, 0, 0, 0}}; }
    static __device__ void keep(Tile &v)
    {
        asm volatile(""
                     : "+r"(v.x[0]), "+r"(v.x[1]), "+r"(v.x[2]),
                       "+r"(v.x[3])::"memory");
    }
    static __device__ void store(Tile v, Word *memory)
    {
        if (v.x[0] == 12345) memory[1] = 1;
    }
};
#define PRODUCT(NAME, SHAPE, A, B)                                                     \
    struct NAME : Products<NAME> {                                                     \
        static __device__ void step(Tile &t, Tile b, Tile, Word)                       \
        {                                                                              \
            asm volatile("mma.sync.aligned." SHAPE " {%0, %1, %2, %3}, " A ", " B      \
                         ", {%0, %1, %2, %3};"                                         \
                         : "+r"(t.x[0]), "+r"(t.x[1]), "+r"(t.x[2]), "+r"(t.x[3])      \
                         : "r"(b.x[0]), "r"(b.x[1]), "r"(b.x[2]), "r"(b.x[3]));        \
        }                                                                              \
    };
PRODUCT(hmma_1688, "m16n8k8.row.col.f32.f16.f16.f32", "{%4, %5}", "{%6}")
PRODUCT(hmma_16816, "m16n8k16.row.col.f32.f16.f16.f32", "{%4, %5, %6, %7}", "{%4, %5}")
PRODUCT(hmma_1688_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", "{%4, %5, %6, %7}",
        "{%4, %5}")
PRODUCT(imma_16816, "m16n8k16.row.col.s32.s8.s8.s32", "{%4, %5}", "{%6}")
PRODUCT(imma_16832, "m16n8k32.row.col.s32.s8.s8.s32", "{%4, %5, %6, %7}", "{%4, %5}")
struct hmma_16816_f16 : Products<hmma_16816_f16> {
    static __device__ void step(Tile &t, Tile b, Tile, Word)
    {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, "
                     "{%2, %3, %4, %5}, {%2, %3}, {%0, %1};"
                     : "+r"(t.x[0]), "+r"(t.x[1])
                     : "r"(b.x[0]), "r"(b.x[1]), "r"(b.x[2]), "r"(b.x[3]));
    }
};
struct dmma_884 : Products<dmma_884> {
    static __device__ void step(Tile &t, Tile b, Tile, Word)
    {
        double x = __hiloint2double(t.x[1], t.x[0]),
               y = __hiloint2double(t.x[3], t.x[2]),
               a = __hiloint2double(b.x[1], b.x[0]);
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, "
                     "{%2}, {%0, %1};"
                     : "+d"(x), "+d"(y)
                     : "d"(a));
        t.x[0] = __double2loint(x), t.x[1] = __double2hiint(x);
        t.x[2] = __double2loint(y), t.x[3] = __double2hiint(y);
    }
};

}  // namespace step

// An instruction of another pipe, and multiplications of single precision that read one
// register each: what it keeps from them beside its own pipe. A function has its turn
// between them, as it depends on one of them and another one on it.
enum Other { IMAD_HI, MUFU };
template <Other OTHER, int FMULS>
__global__ void beside(Result *out, int rounds, Word *memory)
{
    Word x[4];
    float f[4];
    for (int i = 0; i < 4; i++)
        x[i] = threadIdx.x * 7 + i, f[i] = 1.5f + threadIdx.x + i;
    __syncthreads();
    long long from = clocks();
#pragma unroll 1
    for (int round = 0; round < rounds; round++)
#pragma unroll
        for (int i = 0; i < CHAIN / (FMULS + 1); i++) {
            if (OTHER == IMAD_HI)
                asm volatile("mul.hi.u32 %0, %0, 0x92345677;" : "+r"(x[i % 4]));
            else
                asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(f[i % 4]));
#pragma unroll
            for (int j = 0; j < FMULS; j++)
                asm volatile("mul.rn.f32 %0, %0, 0f3F800003;"
                             : "+f"(f[(i * FMULS + j) % 4]));
        }
    long long to = clocks();
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = {from, to};
    float sum = 0;
    for (int i = 0; i < 4; i++) sum += x[i] + f[i];
    if (sum == 12345) memory[1] = 1;
}

// Updates of memory by one lane of each warp, or by all, to one place; and to places of
// their own.
template <int KIND>
__global__ void updates(char *p, int each, int n)
{
    Long i = blockIdx.x * (Long)blockDim.x + threadIdx.x;
    char *at = p + i % each * 8;
    for (int k = 0; k < n; k++) {
        if (KIND == 0)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"((Word)i)
                         : "memory");
        if (KIND == 1)
            asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f)
                         : "memory");
        if (KIND == 2)
            asm volatile("red.global.add.f64 [%0], %1;" ::"l"(at), "d"(1.0) : "memory");
        if (KIND == 3)
            asm volatile("red.global.add.u64 [%0], %1;" ::"l"(at), "l"(i) : "memory");
        if (KIND == 4)
            asm volatile("red.global.max.s32 [%0], %1;" ::"l"(at), "r"((Word)i + k)
                         : "memory");
        if (KIND == 5)
            asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(at), "r"(k)
                         : "memory");
        Word old;
        if (KIND == 6)
            asm volatile("atom.global.add.u32 %0, [%1], %2;"
                         : "=r"(old)
                         : "l"(at), "r"((Word)i)
                         : "memory");
        if (KIND == 7)
            asm volatile("atom.global.cas.b32 %0, [%1], 0, 0;"
                         : "=r"(old)
                         : "l"(at)
                         : "memory");
        if (KIND == 8)
            asm volatile("red.global.add.noftz.bf16x2 [%0], %1;" ::"l"(at), "r"(k)
                         : "memory");
    }
}

static Result *results;
static Word *words;
static char *places;
static cudaEvent_t before, after;

static void check(const char *what)
{
    cudaError_t error = cudaDeviceSynchronize();
    if (error == cudaSuccess) error = cudaGetLastError();
    if (error != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
        exit(3);
    }
}

static double span(int warps)
{
    std::vector<Result> got(warps);
    cudaMemcpy(got.data(), results, warps * sizeof(Result), cudaMemcpyDeviceToHost);
    long long from = got[0].from, to = got[0].to;
    for (Result one : got) from = std::min(from, one.from), to = std::max(to, one.to);
    return double(to - from) / (CHAIN * ROUNDS);
}

template <class Step>
static void measure(const char *name)
{
    stepped<Step, 1><<<1, 32>>>(results, 7, words);
    printf("%s\tlatency\t%.5g\n", name, span(1));
    stepped<Step, 4><<<1, 32 * WARPS>>>(results, 7, words);
    printf("%s\tclocks\t%.5g\n", name, span(WARPS) / (WARPS / 4));
    check(name);
}

// Clocks of such an instruction and its multiplications: what further rounds take, so
// that beginning and end do not count.
template <Other OTHER, int FMULS>
static void measure_beside(const char *name)
{
    double took[2];
    for (int longer : {0, 1, 0, 1}) {
        beside<OTHER, FMULS><<<1, 32 * WARPS>>>(results, ROUNDS << longer, words);
        check(name);
        took[longer] = span(WARPS) * (CHAIN * ROUNDS);
    }
    // Three instructions of each round are the loop's.
    const double steps = CHAIN / (FMULS + 1);
    printf("%s\tclocks\t%.5g\n", name,
           ((took[1] - took[0]) / (ROUNDS * (WARPS / 4)) - 3) / steps);
}

// Nanoseconds that a warp's updates take, by lanes that share a place.
template <int KIND>
static void measure_updates(const char *name)
{
    const int blocks = 2048, threads = 256, n = 16;
    for (int each : {1, 32, 1 << 20}) {
        std::vector<float> times;
        for (int run = 0; run < 6; run++) {
            cudaEventRecord(before);
            updates<KIND><<<blocks, threads>>>(places, each, n);
            cudaEventRecord(after);
            cudaEventSynchronize(after);
            float ms;
            cudaEventElapsedTime(&ms, before, after);
            if (run) times.push_back(ms);
        }
        check(name);
        std::sort(times.begin(), times.end());
        printf("%s_%d\tns\t%.5g\n", name, each,
               times[times.size() / 2] * 1e6 / (double(blocks) * threads / 32 * n));
    }
}

#define MEASURE(NAME) measure<step::NAME>(#NAME)

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 5;
    cudaMalloc(&results, 1 << 16);
    cudaMalloc(&words, 1 << 16);
    cudaMalloc(&places, 64 << 20);
    cudaMemset(places, 0, 64 << 20);
    cudaEventCreate(&before);
    cudaEventCreate(&after);
    for (int round = 0; round < rounds; round++) {
        MEASURE(lop3);
        MEASURE(shf);
        MEASURE(prmt);
        MEASURE(imad);
        MEASURE(imad_hi);
        MEASURE(imad_wide);
        MEASURE(idp);
        MEASURE(popc);
        MEASURE(flo);
        MEASURE(i2f);
        MEASURE(f2i);
        MEASURE(warpsync);
        MEASURE(vote);
        MEASURE(shfl);
        MEASURE(redux);
        MEASURE(match);
        MEASURE(ffma);
        MEASURE(fadd);
        MEASURE(fmnmx);
        MEASURE(mufu_ex2);
        MEASURE(mufu_rsq);
        MEASURE(mufu_lg2);
        measure_beside<IMAD_HI, 4>("imad_hi_fmul");
        measure_beside<MUFU, 7>("mufu_fmul");
        MEASURE(dadd);
        MEASURE(dmul);
        MEASURE(dfma);
        MEASURE(f2f);
        MEASURE(i2d);
        MEASURE(d2i);
        MEASURE(hfma2);
        MEASURE(hadd2);
        MEASURE(hfma2_bf16);
        MEASURE(lds_32);
        MEASURE(lds_64);
        MEASURE(lds_128);
        MEASURE(atoms_add);
        MEASURE(atoms_cas);
        MEASURE(ldc_1);
        MEASURE(ldc_8);
        MEASURE(ldc_32);
        MEASURE(hmma_1688);
        MEASURE(hmma_16816);
        MEASURE(hmma_16816_f16);
        MEASURE(hmma_1688_tf32);
        MEASURE(imma_16816);
        MEASURE(imma_16832);
        MEASURE(dmma_884);
        measure_updates<0>("red_add_u32");
        measure_updates<1>("red_add_f32");
        measure_updates<2>("red_add_f64");
        measure_updates<3>("red_add_u64");
        measure_updates<4>("red_max_s32");
        measure_updates<5>("red_add_f16x2");
        measure_updates<8>("red_add_bf16x2");
        measure_updates<6>("atom_add_u32");
        measure_updates<7>("atom_cas_b32");
    }
    check("the end");
    return 0;
}
