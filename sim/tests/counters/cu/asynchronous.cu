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
KERNEL phases(int *out, const int *in, int rounds) {
    // Every thread arrives and asks until the phase is over.
    __shared__ int s[256];
    __shared__ unsigned long long gate;
    int t = threadIdx.x;
    unsigned at = (unsigned)__cvta_generic_to_shared(&gate);
    if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(blockDim.x) : "memory");
    __syncthreads();
    int r = 0;
    for (int i = 0; i < rounds; i++) {
        s[t] = in[i * 256 + t];
        unsigned long long state;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
        unsigned done;
        do
            asm volatile("{ .reg .pred p; mbarrier.try_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                         : "=r"(done)
                         : "r"(at), "l"(state)
                         : "memory");
        while (!done);
        r += s[t ^ 1];
        __syncthreads();
    }
    out[t] = r;
}
