// What L1 and L2 find again: each kernel moves data in one way, and Nsight Compute
// counts the sectors that are looked up and those that are there. The launches are in
// probes.toml, what a GPU counted is in h200.json, and a test holds the rules of
// sim/caches against that.
// warpbook: arch=compute_90

// A load and a store that the compiler neither joins with others nor leaves out.
__device__ __forceinline__ float load(const float *from)
{
    float value;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(value) : "l"(from));
    return value;
}
__device__ __forceinline__ void store(float *to, float value)
{
    asm volatile("st.global.f32 [%0], %1;" ::"l"(to), "f"(value) : "memory");
}

// Threads of the grid walk over an array of n words, side by side.
#define EACH(i, n)                                                                     \
    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < (n);                  \
         i += gridDim.x * blockDim.x)

extern "C" __global__ void nothing(float *out, unsigned n)
{
    if (n == 0) out[threadIdx.x] = 0.0f;
}

// Every word once.
extern "C" __global__ void read_once(const float *in, float *out, unsigned n)
{
    float sum = 0.0f;
    EACH(i, n) sum += in[i];
    if (sum == -1.0f) out[0] = sum;
}

// The whole array by the whole grid, rounds times, past L1.
extern "C" __global__ void read_again_past_l1(const float *in, float *out, unsigned n,
                                              unsigned rounds)
{
    float sum = 0.0f;
    for (unsigned round = 0; round < rounds; round++) EACH(i, n) sum += __ldcg(in + i);
    if (sum == -1.0f) out[0] = sum;
}

// Each block reads its own n words, rounds times.
extern "C" __global__ void read_own_again(const float *in, float *out, unsigned n,
                                          unsigned rounds)
{
    const float *own = in + blockIdx.x * n;
    float sum = 0.0f;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += load(own + i);
    }
    if (sum == -1.0f) out[0] = sum;
}

// The same, while shared memory takes a part of L1.
extern "C" __global__ void read_own_beside_shared(const float *in, float *out,
                                                  unsigned n, unsigned rounds)
{
    extern __shared__ float kept[];
    const float *own = in + blockIdx.x * n;
    float sum = 0.0f;
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += load(own + i);
    }
    kept[threadIdx.x] = sum;
    if (kept[threadIdx.x] == -1.0f) out[0] = sum;
}

// All blocks read the same n words.
extern "C" __global__ void read_common(const float *in, float *out, unsigned n)
{
    float sum = 0.0f;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += load(in + i);
    if (sum == -1.0f) out[0] = sum;
}

// Both words of each pair, one load behind the other.
extern "C" __global__ void read_pairs(const float *in, float *out, unsigned n)
{
    float sum = 0.0f;
    EACH(i, n / 2)
    {
        sum += load(in + 2 * i);
        sum += load(in + 2 * i + 1);
    }
    if (sum == -1.0f) out[0] = sum;
}

// Every thread walks along 8 words of its own: a sector.
extern "C" __global__ void read_walk(const float *in, float *out, unsigned n)
{
    float sum = 0.0f;
    EACH(i, n / 8)
    {
        for (unsigned k = 0; k < 8; k++) sum += load(in + 8 * i + k);
    }
    if (sum == -1.0f) out[0] = sum;
}

extern "C" __global__ void write_once(float *out, unsigned n)
{
    EACH(i, n) out[i] = 1.0f;
}

// Both words of each pair, one store behind the other.
extern "C" __global__ void write_pairs(float *out, unsigned n)
{
    EACH(i, n / 2)
    {
        store(out + 2 * i, 1.0f);
        store(out + 2 * i + 1, 2.0f);
    }
}

// Every thread writes 8 words of its own, one after the other: a sector.
extern "C" __global__ void write_walk(float *out, unsigned n)
{
    EACH(i, n / 8)
    {
        for (unsigned k = 0; k < 8; k++) store(out + 8 * i + k, 1.0f);
    }
}

// Lanes write columns: 32 lines at a time, each sector by 8 stores.
extern "C" __global__ void write_columns(float *out, unsigned width)
{
    unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned column = 0; column < 32; column++)
        store(out + row * width + column, 1.0f);
}

// What was read is written, in place.
extern "C" __global__ void read_then_write(float *data, unsigned n)
{
    EACH(i, n) data[i] += 1.0f;
}

// What was written is read, by the same thread.
extern "C" __global__ void write_then_read(float *data, float *out, unsigned n)
{
    float sum = 0.0f;
    EACH(i, n)
    {
        store(data + i, 1.0f);
        sum += load(data + i);
    }
    if (sum == -1.0f) out[0] = sum;
}

// A whole array is written, then read by the same threads.
extern "C" __global__ void write_then_read_later(float *data, float *out, unsigned n)
{
    float sum = 0.0f;
    EACH(i, n) store(data + i, 1.0f);
    EACH(i, n) sum += load(data + i);
    if (sum == -1.0f) out[0] = sum;
}

extern "C" __global__ void copy_once(const float *in, float *out, unsigned n)
{
    EACH(i, n) out[i] = in[i];
}

// Words that nobody has touched are updated; lanes of a warp update different ones.
extern "C" __global__ void update_once(unsigned *out, unsigned n)
{
    EACH(i, n) atomicAdd(out + i, 1u);
}

// One word of each sector.
extern "C" __global__ void update_sparsely(unsigned *out, unsigned n)
{
    EACH(i, n / 8) atomicAdd(out + 8 * i, 1u);
}

// Lanes update so many different words of one line, each by 32 / words lanes.
extern "C" __global__ void update_together(unsigned *out, unsigned n, unsigned words)
{
    EACH(i, n) atomicAdd(out + threadIdx.x % words, i);
}

// The same, and the old value is used.
extern "C" __global__ void fetch_together(unsigned *out, unsigned *sink, unsigned n,
                                          unsigned words)
{
    unsigned sum = 0;
    EACH(i, n) sum += atomicAdd(out + threadIdx.x % words, i);
    if (sum == 1) sink[0] = sum;
}

// An array is read, then its words are updated.
extern "C" __global__ void read_then_update(unsigned *data, unsigned *out, unsigned n)
{
    unsigned sum = 0;
    EACH(i, n) sum += data[i];
    EACH(i, n) atomicAdd(data + i, sum);
    if (sum == 1) out[0] = sum;
}

// Volatile loads of one word by all threads, as those who wait for a flag.
extern "C" __global__ void read_volatile(const volatile unsigned *in, unsigned *out,
                                         unsigned rounds)
{
    unsigned sum = 0;
    for (unsigned round = 0; round < rounds; round++) sum += in[threadIdx.x];
    if (sum == 1) out[0] = sum;
}

// Copies into shared memory without registers, twice the same.
extern "C" __global__ void copy_to_shared(const float *in, float *out, unsigned rounds)
{
    __shared__ float4 tile[256];
    unsigned address = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x);
    const float4 *own = (const float4 *)in + blockIdx.x * 256 + threadIdx.x;
    for (unsigned round = 0; round < rounds; round++) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address),
                     "l"(own));
        asm volatile("cp.async.wait_all;");
    }
    if (tile[threadIdx.x].x == -1.0f) out[0] = 1.0f;
}

// The same through L1.
extern "C" __global__ void copy_to_shared_by_l1(const float *in, float *out,
                                                unsigned rounds)
{
    __shared__ float tile[256];
    unsigned address = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x);
    const float *own = in + blockIdx.x * 256 + threadIdx.x;
    for (unsigned round = 0; round < rounds; round++) {
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address),
                     "l"(own));
        asm volatile("cp.async.wait_all;");
    }
    if (tile[threadIdx.x] == -1.0f) out[0] = 1.0f;
}
