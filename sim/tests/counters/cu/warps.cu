// Lanes of a warp that exchange values.
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
KERNEL votes(unsigned *out, const unsigned *in) {
    int t = threadIdx.x;
    unsigned v = in[t];
    unsigned ballot = __ballot_sync(~0u, v & 1);
    unsigned all = __all_sync(~0u, v & 3), any = __any_sync(~0u, v == 7);
    out[t] = ballot + all + any;
}
KERNEL shuffles(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    v += __shfl_up_sync(~0u, v, 1);
    v += __shfl_down_sync(~0u, v, 2, 16);
    v += __shfl_xor_sync(~0u, v, 4, 8);
    v += __shfl_sync(~0u, v, v & 31);
    out[t] = v;
}
KERNEL shuffles_wide(double *out, const double *in) {
    int t = threadIdx.x;
    double v = in[t];
    for (int d = 16; d; d /= 2) v += __shfl_xor_sync(~0u, v, d);
    out[t] = v;
}
KERNEL some_lanes(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    if (v & 1) {
        unsigned mask = __activemask();
        v = __shfl_sync(mask, v, __ffs(mask) - 1);
    }
    out[t] = v;
}
KERNEL half_warps(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    if ((t & 31) < 16) v += __shfl_xor_sync(0xffff, v, 3);
    out[t] = v;
}
KERNEL matches(unsigned *out, const unsigned *in) {
    int t = threadIdx.x, all;
    unsigned v = in[t] & 3;
    out[t] = __match_any_sync(~0u, v) + __match_all_sync(~0u, v, &all) + all;
}
KERNEL reductions(unsigned *out, const unsigned *in) {
    int t = threadIdx.x;
    unsigned v = in[t];
    out[t] = __reduce_add_sync(~0u, v) + __reduce_max_sync(~0u, v) + __reduce_or_sync(~0u, v) +
             (unsigned)__reduce_min_sync(~0u, (int)v);
}
KERNEL aggregated(unsigned *out, unsigned *bins, const unsigned *in) {
    // One atomic per distinct value of a warp.
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    unsigned key = in[t] & 15, same = __match_any_sync(~0u, key);
    int leader = __ffs(same) - 1;
    unsigned base = 0;
    if (lane == leader) base = atomicAdd(&bins[key], __popc(same));
    out[t] = __shfl_sync(~0u, base, leader) + __popc(same & ((1u << lane) - 1));
}
KERNEL barrier_counts(int *out, const int *in) {
    int t = threadIdx.x, v = in[t];
    int a = __syncthreads_count(v & 1), b = __syncthreads_or(v == 3), c = __syncthreads_and(v >= 0);
    out[t] = a + b + c;
}
KERNEL synchronised_lanes(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[t];
    __syncwarp();
    if ((t & 31) < 16) s[t] += s[t + 16];
    __syncwarp();
    if ((t & 31) < 8) s[t] += s[t + 8];
    __syncwarp();
    out[t] = s[t & ~31];
}
