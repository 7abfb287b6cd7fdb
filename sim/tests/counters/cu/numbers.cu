// Floating-point arithmetic: what the compiler fuses, folds and expands.
// warpbook: arch=compute_90
#include <cuda_fp16.h>
#include <cuda_bf16.h>
#define KERNEL extern "C" __global__ void
KERNEL adds_and_products(float *out, const float *in, float k) {
    int t = threadIdx.x;
    float a = in[t], b = in[t + 256], c = in[t + 512];
    out[t] = a + b;
    out[t + 256] = a * b;
    out[t + 512] = a * b + c;
    out[t + 768] = a - b * c;
    out[t + 1024] = (a + b) * (c - k);
    out[t + 1280] = -a;
    out[t + 1536] = fabsf(b);
    out[t + 1792] = fminf(a, b) + fmaxf(b, c);
}
KERNEL doubles_mixed(double *out, const double *in, double k) {
    int t = threadIdx.x;
    double a = in[t], b = in[t + 256], c = in[t + 512];
    out[t] = a + b;
    out[t + 256] = a * b;
    out[t + 512] = a * b + c;
    out[t + 768] = -a * b - k;
    out[t + 1024] = fabs(a) + fmin(b, c);
}
KERNEL not_fused(float *out, const float *in) {
    int t = threadIdx.x;
    out[t] = __fadd_rn(__fmul_rn(in[t], in[t + 256]), in[t + 512]);
}
KERNEL product_used_twice(float *out, const float *in) {
    int t = threadIdx.x;
    float p = in[t] * in[t + 256];
    out[t] = p + in[t + 512];
    out[t + 256] = p - in[t + 768];
    out[t + 512] = p;
}
KERNEL quotients(float *out, const float *in) {
    int t = threadIdx.x;
    float a = in[t] + 1, b = in[t + 256] + 1;
    out[t] = a / b;
    out[t + 256] = 1 / b;
    out[t + 512] = a / 3;
    out[t + 768] = __fdividef(a, b);
}
KERNEL quotient_of_zero(float *out, const float *in) {
    int t = threadIdx.x;
    out[t] = (t & 1 ? 0.0f : in[t]) / (in[t + 256] + 1);
}
KERNEL roots(float *out, const float *in) {
    int t = threadIdx.x;
    float a = in[t] + 1;
    out[t] = sqrtf(a);
    out[t + 256] = rsqrtf(a);
    out[t + 512] = __frcp_rn(a);
    out[t + 768] = __fsqrt_rn(a + 1);
}
KERNEL root_of_zero(float *out, const float *in) {
    int t = threadIdx.x;
    float a = t & 1 ? 0.0f : in[t] + 1;
    out[t] = sqrtf(a);
    out[t + 256] = rsqrtf(a);
}
KERNEL functions(float *out, const float *in) {
    int t = threadIdx.x;
    float a = in[t];
    out[t] = expf(a);
    out[t + 256] = logf(a + 1);
    out[t + 512] = __sinf(a);
    out[t + 768] = __expf(a) + __logf(a + 1);
    out[t + 1024] = tanhf(a);
}
KERNEL sine(float *out, const float *in) { out[threadIdx.x] = sinf(in[threadIdx.x]); }
KERNEL power(float *out, const float *in) { out[threadIdx.x] = powf(in[threadIdx.x] + 1, 1.7f); }
KERNEL double_quotients(double *out, const double *in) {
    int t = threadIdx.x;
    double a = in[t] + 1, b = in[t + 256] + 1;
    out[t] = a / b;
    out[t + 256] = sqrt(a);
    out[t + 512] = 1 / b;
    out[t + 768] = rsqrt(a);
}
KERNEL double_functions(double *out, const double *in) {
    int t = threadIdx.x;
    out[t] = exp(in[t]);
    out[t + 256] = log(in[t] + 1);
}
KERNEL option_price(float *call, float *put, const float *price, const float *strike, const float *years) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    float s = 5 + 25 * price[t], x = 1 + 99 * strike[t], y = 0.25f + 9 * years[t];
    float root = sqrtf(y), d1 = (logf(s / x) + (0.02f + 0.5f * 0.09f) * y) / (0.3f * root), d2 = d1 - 0.3f * root;
    float k1 = 1 / (1 + 0.2316419f * fabsf(d1)), k2 = 1 / (1 + 0.2316419f * fabsf(d2));
    float n1 = 0.39894228f * expf(-0.5f * d1 * d1) * k1 * (0.31938153f + k1 * (-0.356563782f + k1 * 1.781477937f));
    float n2 = 0.39894228f * expf(-0.5f * d2 * d2) * k2 * (0.31938153f + k2 * (-0.356563782f + k2 * 1.781477937f));
    if (d1 > 0) n1 = 1 - n1;
    if (d2 > 0) n2 = 1 - n2;
    float discount = expf(-0.02f * y);
    call[t] = s * n1 - x * discount * n2;
    put[t] = x * discount * (1 - n2) - s * (1 - n1);
}
KERNEL integers(unsigned *out, const unsigned *in, unsigned k) {
    int t = threadIdx.x;
    unsigned a = in[t], b = in[t + 256] | 1;
    out[t] = a / b + a % b;
    out[t + 256] = a / k;
    out[t + 512] = a / 7 + __umulhi(a, b);
    out[t + 768] = (unsigned)((unsigned long long)a * b / k);
}
KERNEL conversions(float *out, const int *in, const double *wide) {
    int t = threadIdx.x;
    out[t] = (float)in[t] + (float)wide[t];
    out[t + 256] = (int)(wide[t] * 100) + (unsigned char)in[t];
}
KERNEL halves(__half *out, const __half *in) {
    int t = threadIdx.x;
    __half a = in[t], b = in[t + 256];
    out[t] = __hadd(a, b);
    out[t + 256] = __hmul(a, b);
    out[t + 512] = __hfma(a, b, a);
}
KERNEL half_pairs(__half2 *out, const __half2 *in) {
    int t = threadIdx.x;
    __half2 a = in[t], b = in[t + 256];
    out[t] = __hadd2(a, b);
    out[t + 256] = __hfma2(a, b, a);
    out[t + 512] = __hmax2(a, b);
}
KERNEL half_to_float(float *out, const __half *in) {
    int t = threadIdx.x;
    out[t] = __half2float(in[t]) * 2 + __half2float(in[t + 256]);
}
KERNEL brains(__nv_bfloat16 *out, const __nv_bfloat16 *in) {
    int t = threadIdx.x;
    out[t] = __hadd(in[t], in[t + 256]);
    out[t + 256] = __float2bfloat16(__bfloat162float(in[t]) * 3);
}
KERNEL half_atomics(__half2 *out, __half *single, const unsigned *in) {
    int t = threadIdx.x;
    atomicAdd(&out[in[t] & 63], __floats2half2_rn(1, 2));
    __shared__ __half2 s[32];
    s[t & 31] = __floats2half2_rn(0, 0);
    __syncwarp();
    atomicAdd(&s[in[t] & 31], __floats2half2_rn(1, 1));
    __syncwarp();
    out[64 + t] = s[t & 31];
}
