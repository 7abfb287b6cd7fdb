// Kernels that show what single passes of the simulator do. No GPU has counted them: what
// they are held against is the machine code of the same PTX (`warpbook dev lowering`).
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
typedef unsigned long long u64;

// An atomic whose old value nobody reads is a reduction, unless the kernel has a fence.
KERNEL atomic_without_fence(unsigned *out, const unsigned *in) {
    atomicAdd(&out[in[threadIdx.x] & 63], in[threadIdx.x] | 1);
}
KERNEL atomic_before_a_fence(unsigned *out, const unsigned *in) {
    atomicAdd(&out[in[threadIdx.x] & 63], in[threadIdx.x] | 1);
    __threadfence();
    out[64 + threadIdx.x] = in[threadIdx.x];
}
KERNEL atomic_behind_a_fence(unsigned *out, const unsigned *in) {
    out[64 + threadIdx.x] = in[threadIdx.x];
    __threadfence_block();
    atomicMax(&out[in[threadIdx.x] & 63], in[threadIdx.x] | 1);
}
KERNEL atomic_on_another_way(unsigned *out, const unsigned *in, int n) {
    if (threadIdx.x < n) {
        out[64 + threadIdx.x] = in[threadIdx.x];
        __threadfence();
        out[128 + threadIdx.x] = in[threadIdx.x];
        return;
    }
    atomicAdd(&out[in[threadIdx.x] & 63], in[threadIdx.x] | 1);
}
KERNEL float_atomic_and_a_fence(float *out, const unsigned *in) {
    atomicAdd(&out[in[threadIdx.x] & 63], 1.5f);
    __threadfence();
    out[64 + threadIdx.x] = 2;
}
KERNEL leader_and_a_fence(unsigned *out, const unsigned *in) {
    atomicAdd(out, 2u);
    __threadfence();
    out[64 + threadIdx.x] = in[threadIdx.x];
}
KERNEL reduction_and_a_fence(unsigned *out, const unsigned *in) {
    unsigned *to = &out[in[threadIdx.x] & 63];
    asm volatile("red.global.add.u32 [%0], 3;" ::"l"(to) : "memory");
    __threadfence();
    out[64 + threadIdx.x] = in[threadIdx.x];
}
KERNEL atomic_that_acquires(unsigned *out, const unsigned *in) {
    asm volatile("{ .reg .b32 old; atom.acquire.gpu.global.add.u32 old, [%0], 3; }"
                 ::"l"(&out[in[threadIdx.x] & 63])
                 : "memory");
    out[64 + threadIdx.x] = in[threadIdx.x];
}
KERNEL atomic_that_releases(unsigned *out, const unsigned *in) {
    asm volatile("{ .reg .b32 old; atom.release.gpu.global.add.u32 old, [%0], 3; }"
                 ::"l"(&out[in[threadIdx.x] & 63])
                 : "memory");
    out[64 + threadIdx.x] = in[threadIdx.x];
}

// Barriers that some lanes of a warp set up.
__device__ void init(u64 *barrier, unsigned count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(
                     (unsigned)__cvta_generic_to_shared(barrier)),
                 "r"(count)
                 : "memory");
}
KERNEL barrier_by_one_thread(unsigned *out) {
    __shared__ u64 barriers[4];
    if (threadIdx.x == 0) init(barriers, 64);
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
KERNEL three_barriers_by_one_thread(unsigned *out) {
    __shared__ u64 barriers[4];
    if (threadIdx.x == 0) {
        init(barriers, 64);
        init(barriers + 1, 32);
        init(barriers + 2, 1);
    }
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
KERNEL two_barriers_by_one_thread(unsigned *out) {
    __shared__ u64 barriers[4];
    if (threadIdx.x == 0) {
        init(barriers, 64);
        init(barriers + 1, 32);
    }
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
KERNEL barriers_by_two_threads(unsigned *out, unsigned count) {
    __shared__ u64 barriers[64];
    if (threadIdx.x < 2) init(barriers + threadIdx.x, count);
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
KERNEL barrier_by_one_block(unsigned *out) {
    __shared__ u64 barriers[4];
    if (blockIdx.x == 1) init(barriers, 64);
    __syncthreads();
    out[blockIdx.x * 64 + threadIdx.x] = threadIdx.x;
}
KERNEL barrier_and_a_fence_of_proxies(unsigned *out) {
    __shared__ u64 barriers[4];
    if (threadIdx.x == 0) {
        init(barriers, 64);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    }
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
KERNEL barrier_and_a_store(unsigned *out) {
    __shared__ u64 barriers[4];
    __shared__ unsigned word;
    if (threadIdx.x == 0) {
        init(barriers, 64);
        word = 7;
    }
    __syncthreads();
    out[threadIdx.x] = word;
}
