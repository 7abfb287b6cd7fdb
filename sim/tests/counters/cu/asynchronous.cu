// Copies that run beside the lanes, and barriers in shared memory.
// warpbook: arch=compute_90
#include <cuda_pipeline.h>
#define KERNEL extern "C" __global__ void
KERNEL copy_words(float *out, const float *in) {
    __shared__ float s[256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 256 + t], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[255 - t];
}
KERNEL copy_quads(float4 *out, const float4 *in) {
    __shared__ float4 s[256];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[t], &in[blockIdx.x * 256 + t], 16);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[blockIdx.x * 256 + t] = s[t ^ 5];
}
KERNEL copy_pairs_strided(double *out, const double *in) {
    __shared__ double s[512];
    int t = threadIdx.x;
    __pipeline_memcpy_async(&s[2 * t], &in[3 * t], 8);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    out[t] = s[2 * (255 - t)];
}
KERNEL copy_stages(float *out, const float *in, int rounds) {
    __shared__ float s[2][128];
    int t = threadIdx.x;
    float r = 0;
    __pipeline_memcpy_async(&s[0][t], &in[t], 4);
    __pipeline_commit();
    for (int i = 0; i < rounds; i++) {
        if (i + 1 < rounds) __pipeline_memcpy_async(&s[(i + 1) & 1][t], &in[(i + 1) * 128 + t], 4);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        r += s[i & 1][127 - t];
        __syncthreads();
    }
    out[t] = r;
}
