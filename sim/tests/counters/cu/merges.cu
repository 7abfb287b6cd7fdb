// Neighbouring accesses to shared memory, which the compiler merges into wide ones where it can.
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
#define TILE                                                                                                           \
    __shared__ float s[2048];                                                                                          \
    int t = threadIdx.x;                                                                                               \
    s[t] = in[t];                                                                                                      \
    s[t + 256] = in[t + 256];                                                                                          \
    s[t + 512] = in[t];                                                                                                \
    s[t + 768] = in[t + 256];                                                                                          \
    __syncthreads();
KERNEL quad(float *out, const float *in) { TILE int u = 4 * (t & 127); out[t] = s[u] * s[u + 1] * s[u + 2] * s[u + 3]; }
KERNEL pair_odd(float *out, const float *in) { TILE int u = 4 * (t & 127); out[t] = s[u + 1] * s[u + 2]; }
KERNEL three(float *out, const float *in) { TILE int u = 4 * (t & 127); out[t] = s[u] * s[u + 1] * s[u + 3]; }
KERNEL gap(float *out, const float *in) { TILE int u = 4 * (t & 127); out[t] = s[u] * s[u + 2]; }
KERNEL eight(float *out, const float *in) {
    TILE float r = 1;
    int u = 8 * (t & 63);
    for (int i = 0; i < 8; i++) r *= s[u + i];
    out[t] = r;
}
KERNEL masked_index(float *out, const float *in) { TILE int u = (t * 7) & 508; out[t] = s[u] * s[u + 1]; }
KERNEL minimum_index(float *out, const float *in, int k) { TILE int u = min(4 * t, 4 * k); out[t] = s[u] * s[u + 1]; }
KERNEL select_index(float *out, const float *in, int k) {
    TILE int u = t < k ? 4 * t & 511 : 8 * t & 511;
    out[t] = s[u] * s[u + 1];
}
KERNEL loaded_index(float *out, const float *in, const unsigned *index) {
    TILE int u = 4 * (index[t] & 127);
    out[t] = s[u] * s[u + 1];
}
KERNEL loop_pairs(float *out, const float *in, int k) {
    TILE float r = 0;
    for (int i = 0; i < k; i += 2) r += s[i] * s[i + 1];
    out[t] = r;
}
KERNEL loop_quads_divergent(float *out, const float *in, int k) {
    TILE float r = 0;
    for (int i = 4 * t; i < k; i += 4) r += s[i] * s[i + 1] + s[i + 2] * s[i + 3];
    out[t] = r;
}
KERNEL under_condition(float *out, const float *in, int k) {
    TILE int u = 4 * (t & 127);
    float a = 0, b = 0;
    if (t < k) {
        a = s[u];
        b = s[u + 1];
    }
    out[t] = a + b;
}
KERNEL store_quad(float *out, const float *in) {
    __shared__ float s[1024];
    int t = threadIdx.x, u = 4 * t;
    s[u] = in[t];
    s[u + 1] = in[t + 1];
    s[u + 2] = in[t + 2];
    s[u + 3] = in[t + 3];
    __syncthreads();
    out[t] = s[t];
}
KERNEL store_three(float *out, const float *in) {
    __shared__ float s[1024];
    int t = threadIdx.x, u = 4 * t;
    s[u] = in[t];
    s[u + 1] = in[t + 1];
    s[u + 2] = in[t + 2];
    __syncthreads();
    out[t] = s[4 * t + 1];
}
KERNEL store_shorts(short *out, const short *in) {
    __shared__ short s[2048];
    int t = threadIdx.x, u = 8 * t;
    for (int i = 0; i < 8; i++) s[u + i] = in[t + i];
    __syncthreads();
    out[t] = s[t];
}
KERNEL store_zeros(int *out) {
    __shared__ int s[1024];
    int t = threadIdx.x;
    for (int i = 0; i < 4; i++) s[4 * t + i] = 0;
    __syncthreads();
    out[t] = s[t];
}
KERNEL store_between(float *out, const float *in, int k) {
    TILE int u = 4 * (t & 127);
    float a = s[u];
    s[k] = a;
    out[t] = a + s[u + 1];
}
KERNEL global_store_between(float *out, const float *in, float *other) {
    TILE int u = 4 * (t & 127);
    float a = s[u];
    other[t] = a * 2;
    out[t] = a + s[u + 1];
}
KERNEL volatile_pairs(float *out, const float *in) {
    __shared__ volatile float s[1024];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 256] = in[t];
    __syncthreads();
    int u = 4 * (t & 63);
    out[t] = s[u] * s[u + 1];
}
KERNEL doubles_pair(double *out, const double *in) {
    __shared__ double s[512];
    int t = threadIdx.x;
    s[2 * t] = in[t];
    s[2 * t + 1] = in[t + 256];
    __syncthreads();
    out[t] = s[2 * (255 - t)] * s[2 * (255 - t) + 1];
}
KERNEL rows(float *out, const float *in) {
    __shared__ float s[32][8];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) s[t][i] = in[t * 8 + i];
    __syncthreads();
    float r = 0;
    for (int i = 0; i < 8; i++) r += s[t][i];
    out[t] = r;
}
KERNEL rows_padded(float *out, const float *in) {
    __shared__ float s[32][9];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) s[t][i] = in[t * 8 + i];
    __syncthreads();
    float r = 0;
    for (int i = 0; i < 8; i++) r += s[t][i];
    out[t] = r;
}
KERNEL swap_pairs(float *out, const float *in) {
    __shared__ float s[512];
    int t = threadIdx.x;
    s[2 * t] = in[t];
    s[2 * t + 1] = in[t + 256];
    __syncthreads();
    float a = s[2 * t], b = s[2 * t + 1];
    __syncthreads();
    s[2 * t] = b;
    s[2 * t + 1] = a;
    __syncthreads();
    out[t] = s[t];
}
KERNEL barrier_between(float *out, const float *in) {
    TILE int u = 4 * (t & 127);
    float a = s[u];
    __syncwarp();
    out[t] = a + s[u + 1];
}
KERNEL constant_addresses(float *out, const float *in) {
    __shared__ float s[8];
    int t = threadIdx.x;
    if (t < 8) s[t] = in[t];
    __syncthreads();
    out[t] = s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
}
