// Vector and scalar accesses in all widths, in global and shared memory.
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
KERNEL strided(int *out, const int *in, int stride) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t * stride];
}
KERNEL gather_scatter(int *out, const int *in, const unsigned *index) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[index[t] & 2047] = in[index[t + 512] & 2047];
}
KERNEL uniform_load(int *out, const int *in, int k) { out[threadIdx.x] = in[k] + in[blockIdx.x]; }
KERNEL vector4(float4 *out, const float4 *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[t];
    v.x += v.y;
    v.z *= v.w;
    out[t] = v;
}
KERNEL vector4_thirds(int4 *out, const int4 *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[t / 3];
}
KERNEL vector2(double2 *out, const float2 *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float2 v = in[t];
    out[t] = make_double2(v.x, v.y);
}
KERNEL vector3(float *out, const float3 *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float3 v = in[t];
    out[t] = v.x + v.y * v.z;
}
KERNEL vector4_part(float *out, const float4 *in) {
    // Only two of the four elements are needed.
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float4 v = in[t];
    out[t] = v.x + v.z;
}
KERNEL bytes(unsigned char *out, const unsigned char *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[3 * t] + in[t];
}
KERNEL byte_vectors(uchar4 *out, const uchar4 *in, const uchar2 *pairs) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    uchar4 v = in[t];
    uchar2 w = pairs[t];
    v.x += w.x;
    v.w ^= w.y;
    out[t] = v;
}
KERNEL shorts(short *out, const short *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[2 * t] - in[t + 1];
}
KERNEL doubles(double *out, const double *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = in[2 * t] + in[t];
}
KERNEL read_only(float *out, const float *__restrict__ in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    out[t] = __ldg(in + t) + in[t & 7];
}
__constant__ float table[64] = {1, 2, 3, 4};
KERNEL constants(float *out, const int *index, float scale) {
    int t = threadIdx.x;
    out[t] = table[index[t] & 63] * scale + table[5];
}
__device__ int module_state[256];
KERNEL module_variable(int *out) {
    int t = threadIdx.x;
    module_state[t] += t;
    out[t] = module_state[255 - t];
}
KERNEL volatile_loads(int *out, volatile int *in) {
    int t = threadIdx.x;
    out[t] = in[t] + in[t];
}
KERNEL repeated_loads(int *out, int *in) {
    // The store may change what is loaded next.
    int t = threadIdx.x;
    int a = in[t];
    out[t] = a;
    out[t + 256] = in[t] + a;
}
KERNEL repeated_loads_restrict(int *__restrict__ out, const int *__restrict__ in) {
    int t = threadIdx.x;
    int a = in[t];
    out[t] = a;
    out[t + 256] = in[t] + a;
}
KERNEL cache_hints(float *out, const float *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float a = __ldcg(in + t), b = __ldcs(in + t + 32), c = __ldca(in + t + 64);
    __stcg(out + t, a + b);
    __stcs(out + t + 512, b + c);
}
KERNEL misaligned_rows(float *out, const float *in, int pitch) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * pitch + x] = in[y * pitch + x + 1];
}
KERNEL shared_vector4(float4 *out, const float4 *in) {
    __shared__ float4 s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t ^ 17];
}
KERNEL shared_vector4_pairs(float4 *out, const float4 *in) {
    __shared__ float4 s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    float4 a = s[t / 2], b = s[t & ~2], c = s[t / 4];
    out[t] = make_float4(a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z, a.w + b.w + c.w);
}
KERNEL shared_vector2_pairs(double *out, const double *in) {
    __shared__ double s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    double r = s[t & ~1] + s[t & ~2] + s[t & ~16];
    if (t % 3) r += s[(t / 2) % 7];
    out[t] = r;
}
KERNEL shared_doubles_stride(double *out, const double *in, int stride) {
    __shared__ double s[512];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncthreads();
    out[t] = s[t * stride & 511];
}
KERNEL shared_bytes(unsigned char *out, const unsigned char *in) {
    __shared__ unsigned char s[1024];
    int t = threadIdx.x;
    s[t] = in[t];
    s[t + 256] = in[t + 1];
    s[t + 512] = 3;
    s[t + 768] = 4;
    __syncthreads();
    out[t] = s[4 * t] + s[4 * t + 1] + s[4 * t + 2] + s[4 * t + 3];
}
KERNEL shared_struct(float *out, const float *in) {
    struct Particle {
        float x, y, z, mass;
        int kind;
    };
    __shared__ Particle s[64];
    int t = threadIdx.x;
    s[t].x = in[t];
    s[t].y = in[t + 64];
    s[t].z = in[t + 128];
    s[t].mass = 2;
    s[t].kind = t & 3;
    __syncthreads();
    Particle p = s[63 - t];
    out[t] = p.kind == 1 ? p.x + p.y : p.z * p.mass;
}
KERNEL dynamic_parts(float *out, const float *in, int n) {
    extern __shared__ float halves_of_all[];
    float *a = halves_of_all, *b = halves_of_all + n;
    int t = threadIdx.x;
    a[t] = in[t];
    b[t] = in[t + n];
    __syncthreads();
    out[t] = a[n - 1 - t] * b[(t * 5) % n];
}
KERNEL dynamic_vectors(float4 *out, const float4 *in) {
    extern __shared__ float4 rows[];
    int t = threadIdx.x;
    rows[t] = in[t];
    __syncthreads();
    float4 v = rows[(t + 1) % blockDim.x];
    out[t] = make_float4(v.w, v.z, v.y, v.x);
}
