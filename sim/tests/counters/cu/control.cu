// Divergence, predication, loops with different numbers of rounds, early exits, functions.
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
KERNEL both_ways(float *out, const float *in) {
    int t = threadIdx.x;
    float r = 0;
    if (t & 1)
        r += in[t];
    else
        r -= in[t + 64];
    out[t] = r;
}
KERNEL three_ways(float *out, const float *in, int k) {
    int t = threadIdx.x;
    float r = 0;
    if (t & 1) r += in[t];
    if (t % 3 == 0)
        for (int i = 0; i < t % 7; i++) r += in[i * 32 + t];
    if (t > k) return;
    out[t] = r;
}
KERNEL switch_of_five(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    switch (v & 7) {
    case 0: v += in[t + 1]; break;
    case 1: v *= in[t + 2]; break;
    case 2: v ^= in[t + 3]; break;
    case 3: v -= in[t + 4]; break;
    case 4: v |= in[t + 5]; break;
    default: v = -v;
    }
    out[t] = v;
}
KERNEL rounds_differ(float *out, const float *in) {
    int t = threadIdx.x;
    float r = 0;
    for (int i = 0; i < t; i++) r += in[i];
    out[t] = r;
}
KERNEL rounds_differ_shared(float *out, const float *in, int k) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float r = 0;
    for (int i = 0; i < k; i++) {
        r += s[(t * i) & 255];
        if (r > 60.0f) break;
    }
    out[t] = r;
}
KERNEL rounds_from_data(int *out, const unsigned *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, steps = 0;
    unsigned v = in[t] & 1023;
    while (v > 1) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        steps++;
    }
    out[t] = steps;
}
KERNEL nested_loops(int *out, const int *in, int n) {
    int t = threadIdx.x, r = 0;
    for (int i = 0; i < n; i++)
        for (int j = i; j < (t & 3) + i; j++) r += in[i * n + j];
    out[t] = r;
}
KERNEL search(int *out, const int *in, int n) {
    int t = threadIdx.x, low = 0, high = n, key = in[(t * 37) & 255];
    while (low < high) {
        int middle = (low + high) / 2;
        if (in[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[t] = low;
}
KERNEL early_exit(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = in[i];
    if (v < 0.25f) {
        out[i] = 0;
        return;
    }
    out[i] = v * in[i + 1];
}
KERNEL grid_stride(float *out, const float *in, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[i] * 2 + 1;
}
KERNEL unrolled_four(float *out, const float *in, int n) {
    int t = threadIdx.x;
    float r = 0;
#pragma unroll 4
    for (int i = 0; i < n; i++) r += in[i * 256 + t];
    out[t] = r;
}
KERNEL not_unrolled(float *out, const float *in, int n) {
    int t = threadIdx.x;
    float r = 0;
#pragma unroll 1
    for (int i = 0; i < n; i++) r += in[i * 256 + t];
    out[t] = r;
}
KERNEL constant_rounds(float *out, const float *in) {
    int t = threadIdx.x;
    float r = 0;
    for (int i = 0; i < 12; i++) r += in[i * 16 + t] * in[i];
    out[t] = r;
}
KERNEL loop_invariant(float *out, const float *in, int n) {
    __shared__ float s[32];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    float r = 0;
    for (int i = 0; i < n; i++) r += in[i] * s[5];
    out[t] = r;
}
__device__ __noinline__ float helper(const float *p, int i) { return p[i] * 2 + p[i + 1]; }
KERNEL function_call(float *out, const float *in) {
    int t = threadIdx.x;
    float r = helper(in, t);
    if (t & 1) r += helper(in + 64, t / 2);
    out[t] = r;
}
__device__ __noinline__ int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
__device__ __noinline__ float add_one(float v) { return v + 1; }
__device__ __noinline__ float times_three(float v) { return v * 3; }
KERNEL function_pointer(float *out, const float *in, int which) {
    float (*f)(float) = which ? add_one : times_three;
    out[threadIdx.x] = f(in[threadIdx.x]);
}
KERNEL predicated_stores(int *out, const int *in, int n) {
    int t = threadIdx.x;
    int v = in[t];
    if (v & 1) out[t] = v;
    if (v & 2) out[t + 256] = v;
    if (v & 4) out[t + 512] = v + 1;
    if ((v & 7) == 0) out[t + 768] = n;
}
KERNEL never_taken(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    if (v < -1000000000) out[t] = in[v & 15];
    out[t + 256] = v;
}
KERNEL whole_warps(int *out, const int *in) {
    // Branches that no warp is divided by.
    int t = threadIdx.x, w = t / 32;
    if (w & 1)
        out[t] = in[t] + in[t + 256];
    else
        out[t] = in[t];
}
KERNEL shapes_3d(int *out, const int *in) {
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int i = (z * blockDim.y + y) * blockDim.x + x;
    int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    if (x == 0) out[block * 64 + i] = in[i];
    if (y == 1) out[block * 64 + i] = in[i + 1];
    if (z == 1) out[block * 64 + i] += in[i + 2];
}
KERNEL odd_block(int *out, const int *in) {
    // Blocks whose last warp is not full.
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t] + 1;
}
KERNEL dead_code(int *out, const int *in, const volatile int *v) {
    int t = threadIdx.x;
    int unused = in[t + 512];
    int kept = v[t];
    out[t] = in[t];
    if (unused == kept && t < 0) out[0] = 0;
}
