// Atomics of every kind: what a compiler makes of them depends on address, operand and whether the old value is used.
// warpbook: arch=compute_90
typedef unsigned long long u64;
#define KERNEL extern "C" __global__ void

// Shared memory, 32 bits.
KERNEL shared_increment(unsigned *out, const unsigned *in) {
    __shared__ unsigned bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) atomicAdd(&bins[in[t + 256 * i] & 255], 1u);
    __syncthreads();
    atomicAdd(&out[t], bins[t]);
}
KERNEL shared_weighted(unsigned *out, const unsigned *in) {
    __shared__ unsigned bins[256];
    int t = threadIdx.x;
    bins[t] = 0;
    __syncthreads();
    for (int i = 0; i < 8; i++) atomicAdd(&bins[in[t + 256 * i] & 255], in[t]);
    __syncthreads();
    out[t] = bins[t];
}
KERNEL shared_integer_kinds(unsigned *out, const unsigned *in) {
    __shared__ unsigned s[8][32];
    int t = threadIdx.x;
    s[t / 32][t % 32] = t;
    __syncthreads();
    unsigned i = in[t] % 32, v = in[t + 256];
    atomicMin(&s[0][i], v);
    atomicMax(&s[1][i], v);
    atomicAnd(&s[2][i], v);
    atomicOr(&s[3][i], v);
    atomicXor(&s[4][i], v);
    atomicSub(&s[5][i], 3u);
    atomicInc(&s[6][i], 77u);
    atomicExch(&s[7][i], v);
    __syncthreads();
    out[t] = s[t / 32][t % 32];
}
KERNEL shared_old_values(unsigned *out, const unsigned *in) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    if (t < 64) s[t] = 0;
    __syncthreads();
    unsigned a = atomicAdd(&s[in[t] & 63], 1u);
    unsigned b = atomicMax(&s[in[t + 1] & 63], a);
    out[t] = a + b;
}
KERNEL shared_compare_and_swap(unsigned *out, const unsigned *in) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    if (t < 64) s[t] = 0;
    __syncthreads();
    out[t] = atomicCAS(&s[in[t] & 63], 0u, t + 1u);
}
KERNEL shared_uniform_count(unsigned *out, const unsigned *in) {
    __shared__ unsigned count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    if (in[t] & 1) atomicAdd(&count, 1u);
    __syncthreads();
    if (t == 0) out[blockIdx.x] = count;
}
KERNEL shared_uniform_ticket(unsigned *out, const unsigned *in) {
    __shared__ unsigned count;
    int t = threadIdx.x;
    if (t == 0) count = 0;
    __syncthreads();
    unsigned ticket = 0;
    if (in[t] & 1) ticket = atomicAdd(&count, 1u);
    out[blockIdx.x * blockDim.x + t] = ticket;
}
KERNEL shared_uniform_kinds(int *out, const int *in) {
    __shared__ int s[6];
    int t = threadIdx.x;
    if (t < 6) s[t] = t;
    __syncthreads();
    atomicAdd(&s[0], in[t]);
    atomicMax(&s[1], in[t]);
    atomicMin(&s[2], in[t]);
    atomicOr(&s[3], in[t]);
    if (in[t] & 4) atomicAnd(&s[4], in[t]);
    if (in[t] & 2) atomicAdd(&s[5], 5);
    __syncthreads();
    if (t < 6) out[t] = s[t];
}
KERNEL shared_uniform_scan(int *out, const int *in) {
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0) total = 0;
    __syncthreads();
    out[t] = atomicAdd(&total, in[t]);
}
KERNEL shared_uniform_scan_partial(int *out, const int *in) {
    __shared__ int total;
    int t = threadIdx.x;
    if (t == 0) total = 0;
    __syncthreads();
    int old = 0;
    if (in[t] & 1) old = atomicAdd(&total, in[t]);
    out[t] = old;
}
// Loops of compare-and-swap; one warp, so that no other warp interferes.
KERNEL shared_float_add(float *out, const unsigned *in) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = 0;
    s[t + 32] = 0;
    __syncwarp();
    atomicAdd(&s[in[t] & 63], 1.5f);
    __syncwarp();
    out[t] = s[t] + s[t + 32];
}
KERNEL shared_float_add_uniform(float *out, const float *in) {
    __shared__ float s;
    int t = threadIdx.x;
    if (t == 0) s = 0;
    __syncwarp();
    atomicAdd(&s, in[t]);
    __syncwarp();
    if (t == 0) out[0] = s;
}
KERNEL shared_float_add_old(float *out, const unsigned *in) {
    __shared__ float s[8];
    int t = threadIdx.x;
    if (t < 8) s[t] = 0;
    __syncwarp();
    out[t] = atomicAdd(&s[in[t] & 7], (float)t);
}
KERNEL shared_double_add(double *out, const unsigned *in) {
    __shared__ double s[32];
    int t = threadIdx.x;
    s[t] = 0;
    __syncwarp();
    atomicAdd(&s[in[t] & 31], 1.5);
    __syncwarp();
    out[t] = s[t];
}
KERNEL shared_long_add(u64 *out, const unsigned *in) {
    __shared__ u64 s[32];
    int t = threadIdx.x;
    s[t] = 0;
    __syncwarp();
    atomicAdd(&s[in[t] & 31], (u64)(t + 1));
    __syncwarp();
    out[t] = s[t];
}
KERNEL shared_long_max(u64 *out, const unsigned *in) {
    __shared__ u64 s[16];
    int t = threadIdx.x;
    if (t < 16) s[t] = 40;
    __syncwarp();
    atomicMax(&s[in[t] & 15], (u64)(in[t] & 127));
    __syncwarp();
    if (t < 16) out[t] = s[t];
}
KERNEL shared_long_native(u64 *out, const unsigned *in) {
    __shared__ u64 s[64];
    int t = threadIdx.x;
    s[t & 63] = 0;
    __syncthreads();
    atomicCAS(&s[in[t] & 31], 0ull, 5ull);
    atomicExch(&s[32 + (in[t] >> 8 & 31)], (u64)t);
    __syncthreads();
    out[t & 63] = s[t & 63];
}
KERNEL shared_spin_cas(unsigned *out, const unsigned *in) {
    // A hash table with linear probing, one warp.
    __shared__ unsigned table[64];
    int t = threadIdx.x;
    table[t] = 0;
    table[t + 32] = 0;
    __syncwarp();
    unsigned key = (in[t] & 15) + 1, slot = key * 7 & 63, steps = 0;
    while (true) {
        unsigned old = atomicCAS(&table[slot], 0u, key);
        steps++;
        if (old == 0 || old == key) break;
        slot = (slot + 1) & 63;
    }
    out[t] = steps;
}
// Global memory.
KERNEL global_add(unsigned *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[in[t] & 1023], in[t] + 1);
}
KERNEL global_add_same(unsigned *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[in[t] & 3], t);
}
KERNEL global_add_warp(unsigned *out) {
    int t = threadIdx.x;
    atomicAdd(&out[t / 32], t);
}
KERNEL global_add_float(float *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[in[t] & 255], 1.0f);
}
KERNEL global_add_double(double *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[in[t] & 255], 1.0);
}
KERNEL global_add_long(u64 *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[in[t] & 255], (u64)in[t]);
}
KERNEL global_old_values(unsigned *out, unsigned *counters, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = atomicAdd(&counters[in[t] & 127], 1u);
}
KERNEL global_old_same(unsigned *out, unsigned *counters, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = atomicMax(&counters[in[t] & 7], in[t]);
}
KERNEL global_uniform_count(unsigned *out, const unsigned *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        if (in[i] & 1) atomicAdd(out, 1u);
}
KERNEL global_uniform_kinds(int *out, const int *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&out[0], in[t]);
    atomicMin(&out[1], in[t]);
    atomicMax(&out[2], in[t]);
    atomicOr(&out[3], in[t]);
    atomicXor(&out[4], in[t]);
    atomicSub(&out[5], 2);
    atomicAdd((float *)&out[6], 1.0f);
}
KERNEL global_uniform_ticket(unsigned *out, unsigned *count, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[t] > in[t + 1]) out[atomicAdd(count, 1u)] = in[t];
}
KERNEL global_uniform_scan(unsigned *out, unsigned *total, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = atomicAdd(total, in[t] & 15);
}
KERNEL global_uniform_long(u64 *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[t] & 1) atomicAdd(&out[0], 1ull);
    atomicAdd(&out[1], 7ull);
    atomicAdd(&out[2], (u64)in[t]);
}
KERNEL global_uniform_long_ticket(u64 *out, u64 *total) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = atomicAdd(total, 1ull);
}
KERNEL global_no_reduction(unsigned *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicExch(&out[in[t] & 63], (unsigned)t);
    atomicCAS(&out[64 + (in[t] & 63)], 0u, (unsigned)t);
    atomicInc(&out[128 + (in[t] & 63)], 9u);
    atomicDec(&out[192], 100u);
}
KERNEL global_first_thread(unsigned *out, const unsigned *in) {
    if (threadIdx.x == 0) atomicAdd(out, in[blockIdx.x]);
    if (threadIdx.x == 0 && threadIdx.y == 0) atomicAdd(out + 1, 1u);
    if (threadIdx.x < 3) atomicAdd(out + 2, 1u);
}
KERNEL global_block_sum(float *out, const float *in) {
    // Every warp adds its sum once.
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = in[t];
    for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
    if ((threadIdx.x & 31) == 0) atomicAdd(out, sum);
}
KERNEL generic_either(unsigned *out, const unsigned *in, int shared) {
    __shared__ unsigned s[64];
    int t = threadIdx.x;
    if (t < 64) s[t] = 0;
    __syncthreads();
    unsigned *p = shared ? s : out;
    atomicAdd(&p[in[t] & 63], 2u);
    __syncthreads();
    if (t < 64) out[64 + t] = s[t];
}
KERNEL generic_either_float(float *out, const unsigned *in, int shared) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = 0;
    s[t + 32] = 0;
    __syncwarp();
    float *p = shared ? s : out;
    atomicAdd(&p[in[t] & 63], 2.0f);
    __syncwarp();
    out[64 + t] = s[t] + s[t + 32];
}
