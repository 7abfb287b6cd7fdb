// Questions about the machine that the PTX manual leaves open or that programs get wrong. Every kernel runs as one
// block of 128 threads and leaves words in `out`; `h200.json` holds what an H200 left there. A kernel that hangs there
// must be a finding here.

#define FULL 0xffffffffu
typedef unsigned int u32;

__device__ __forceinline__ u32 active() { u32 mask; asm volatile("activemask.b32 %0;" : "=r"(mask)); return mask; }
__device__ __forceinline__ u32 lane() { return threadIdx.x & 31; }

// ---- what activemask returns ----

extern "C" __global__ void mask_in_and_behind_an_if(u32* out) {
    u32 t = threadIdx.x, inside = 0;
    if (lane() < 7) inside = active(); else inside = active() ^ 0x80000000u;
    out[t * 2] = inside;
    out[t * 2 + 1] = active();
}

extern "C" __global__ void mask_in_nested_ifs(u32* out, u32 n) {
    u32 t = threadIdx.x, outer = 0, inner = 0, behind = 0;
    if (lane() & 1) {
        outer = active();
        if (lane() & n) { inner = active(); out[512 + t] = 1; }
        behind = active();
    }
    out[t * 4] = outer; out[t * 4 + 1] = inner; out[t * 4 + 2] = behind; out[t * 4 + 3] = active();
}

extern "C" __global__ void mask_in_a_loop(u32* out, u32 n) {
    u32 t = threadIdx.x;
    for (u32 i = 0; i < (lane() & n) + 1; i++) out[(t & 31) * 16 + i] = active();
    out[512 + t] = active();
}

extern "C" __global__ void mask_behind_a_break(u32* out, u32 n) {
    u32 t = threadIdx.x, i = 0;
    while (true) {
        out[512 + t] = i;
        if (++i > (lane() & n)) break;
        if (lane() == 3) { out[700 + t] = active(); }
    }
    out[t] = active();
}

extern "C" __global__ void mask_behind_an_early_return(u32* out) {
    u32 t = threadIdx.x;
    if (lane() % 3 == 0) { out[t] = 5; return; }
    out[t] = active();
}

extern "C" __global__ void mask_behind_short_circuits(u32* out, u32 n) {
    u32 t = threadIdx.x;
    if ((lane() & n) && out[512 + t] == 0 && (lane() & 4)) out[700 + t] = active();
    out[t] = active();
}

extern "C" __global__ void mask_in_a_switch(u32* out, u32 n) {
    u32 t = threadIdx.x, mask = 0;
    switch (lane() & n) {
        case 0: out[512] = 1; mask = active(); break;
        case 1: out[513] = 2; mask = active(); // falls through
        case 2: out[514] = 3; mask ^= active(); break;
        default: mask = 7; break;
    }
    out[t * 2] = mask;
    out[t * 2 + 1] = active();
}

__device__ __noinline__ u32 called(u32 x, u32* out) { if (x & 1) { out[700 + x] = x; return active(); } return active() ^ 1; }
// A place where some lanes meet before all do.
extern "C" __global__ void mask_behind_an_or(u32* out, u32 n) {
    u32 t = threadIdx.x;
    if ((lane() & n) == 1 || out[512 + (lane() & 4)] == (lane() & 2)) out[700 + t] = active();
    out[t] = active();
}

extern "C" __global__ void mask_in_a_function(u32* out, u32 n) {
    u32 t = threadIdx.x, mask = 0;
    if (lane() & n) mask = called(t, out);
    out[t * 2] = mask;
    out[t * 2 + 1] = active();
}

// ---- threads that have exited ----

extern "C" __global__ void barrier_without_exited_warps(u32* out) {
    u32 t = threadIdx.x;
    if (t >= 64) return;
    out[t] = t;
    __syncthreads();
    out[t + 128] = out[63 - t];
}

extern "C" __global__ void barrier_without_exited_lanes(u32* out) {
    u32 t = threadIdx.x;
    if (t % 2) return;
    out[t] = t;
    __syncthreads();
    out[t + 128] = out[126 - t];
}

extern "C" __global__ void counted_barrier_without_exited_warps(u32* out) {
    u32 t = threadIdx.x;
    if (t >= 64) return;
    asm volatile("barrier.sync 0, 128;" ::: "memory");
    out[t] = 1;
}

extern "C" __global__ void counted_barrier_with_exited_lanes(u32* out) {
    u32 t = threadIdx.x;
    if (t % 2) return;
    asm volatile("barrier.sync 0, 128;" ::: "memory");
    out[t] = 1;
}

extern "C" __global__ void votes_of_the_block_without_exited(u32* out) {
    u32 t = threadIdx.x;
    if (t % 2 || t >= 96) return;
    out[t * 4] = __syncthreads_count(t < 40);
    out[t * 4 + 1] = __syncthreads_and(1);
    out[t * 4 + 2] = __syncthreads_or(t == 96);
}

extern "C" __global__ void exchange_without_exited_lanes(u32* out) {
    u32 t = threadIdx.x;
    if (lane() >= 20) return;
    __syncwarp(FULL);
    out[t * 4] = __shfl_sync(FULL, t + 1000, (lane() + 1) % 20);
    out[t * 4 + 1] = __ballot_sync(FULL, lane() & 1);
    out[t * 4 + 2] = __all_sync(FULL, 1);
    out[t * 4 + 3] = __match_any_sync(FULL, lane() / 4);
}

extern "C" __global__ void sum_without_exited_lanes(u32* out) {
    u32 t = threadIdx.x;
    if (lane() >= 20) return;
    out[t] = __reduce_add_sync(FULL, lane());
}

// ---- barriers that are reached from several places, by parts of warps, under several numbers ----

extern "C" __global__ void barrier_from_two_sites_by_warps(u32* out) {
    u32 t = threadIdx.x;
    out[t] = t;
    if (t < 64) { asm volatile("barrier.sync 0;" ::: "memory"); out[t + 128] = out[t ^ 64]; }
    else { asm volatile("barrier.sync 0;" ::: "memory"); out[t + 256] = out[t ^ 64] + 1; }
}

extern "C" __global__ void barrier_from_two_sites_by_lanes(u32* out) {
    u32 t = threadIdx.x;
    out[t] = t;
    if (lane() < 16) { asm volatile("barrier.sync 0;" ::: "memory"); out[t + 128] = out[t ^ 16]; }
    else { asm volatile("barrier.sync 0;" ::: "memory"); out[t + 256] = out[t ^ 16] + 1; }
}

extern "C" __global__ void barrier_in_a_branch_that_others_pass(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) { asm volatile("barrier.sync 0;" ::: "memory"); out[t] = 1; }
    out[t + 128] = 2;
}

extern "C" __global__ void barrier_in_a_loop_of_different_lengths(u32* out) {
    u32 t = threadIdx.x, n = t / 32 + 1;
    for (u32 i = 0; i < n; i++) { asm volatile("barrier.sync 0;" ::: "memory"); out[t] = i + 1; }
}

extern "C" __global__ void two_barriers_crossed(u32* out) {
    u32 t = threadIdx.x;
    if (t < 64) { asm volatile("barrier.sync 1, 128;" ::: "memory"); asm volatile("barrier.sync 2, 128;" ::: "memory"); }
    else { asm volatile("barrier.sync 2, 128;" ::: "memory"); asm volatile("barrier.sync 1, 128;" ::: "memory"); }
    out[t] = 1;
}

extern "C" __global__ void named_barrier_of_half_the_block(u32* out) {
    u32 t = threadIdx.x;
    out[t] = t;
    if (t < 64) { asm volatile("barrier.sync 3, 64;" ::: "memory"); out[t + 128] = out[63 - t]; }
}

extern "C" __global__ void half_warps_at_a_counted_barrier(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) { asm volatile("barrier.sync 3, 64;" ::: "memory"); out[t] = 1; }
    out[t + 128] = 2;
}

extern "C" __global__ void half_warps_at_a_barrier_of_all(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) { asm volatile("barrier.sync 3, 128;" ::: "memory"); out[t] = 1; }
    out[t + 128] = 2;
}

extern "C" __global__ void producers_arrive(u32* out) {
    u32 t = threadIdx.x;
    if (t < 64) { out[t] = t * 3; __threadfence_block(); asm volatile("barrier.arrive 1, 128;" ::: "memory"); }
    else { asm volatile("barrier.sync 1, 128;" ::: "memory"); out[t + 128] = out[t - 64]; }
}

extern "C" __global__ void reduction_over_a_named_barrier(u32* out) {
    u32 t = threadIdx.x, count;
    if (t >= 64) return;
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 10; barrier.red.popc.u32 %0, 2, 64, p; }" : "=r"(count) : "r"(t) : "memory");
    out[t] = count;
}

extern "C" __global__ void barrier_in_a_branch_before_another(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) { asm volatile("barrier.sync 0;" ::: "memory"); out[t] = 1; }
    __syncthreads();
    out[t + 128] = out[t ^ 16] + 2;
}

// ---- exchanges between lanes ----

extern "C" __global__ void shuffle_from_an_exited_lane(u32* out) {
    u32 t = threadIdx.x;
    if (lane() >= 20) return;
    out[t] = __shfl_sync(FULL, t + 1000, lane() + 10);
}

extern "C" __global__ void shuffle_by_a_lane_outside_the_mask(u32* out) {
    u32 t = threadIdx.x;
    out[t] = __shfl_sync(0xffffu, t + 1000, lane() ^ 1);
}

extern "C" __global__ void shuffle_from_a_lane_of_another_branch(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) out[t] = __shfl_sync(0xffffu, t + 1000, lane() + 16);
    else out[t] = __shfl_sync(0xffff0000u, t + 2000, lane() - 16);
}

extern "C" __global__ void ballots_from_two_sites(u32* out) {
    u32 t = threadIdx.x, bits;
    if (lane() < 16) { bits = __ballot_sync(FULL, lane() & 1); out[t] = bits; }
    else { bits = __ballot_sync(FULL, lane() & 2); out[t + 128] = bits + 1; }
}

extern "C" __global__ void syncwarps_from_two_sites(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) { out[t] = 1; __syncwarp(); out[t + 128] = out[t + 16]; }
    else { out[t] = 2; __syncwarp(); out[t + 128] = out[t - 16] + 10; }
}

extern "C" __global__ void ballot_of_half_with_its_own_mask(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) out[t] = __ballot_sync(0xffffu, lane() & 1);
    else out[t] = __ballot_sync(0xffff0000u, lane() & 1);
}

extern "C" __global__ void ballot_that_others_never_reach(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) out[t] = __ballot_sync(FULL, 1);
    out[t + 128] = 3;
}

extern "C" __global__ void shuffle_from_a_lane_outside_the_mask(u32* out) {
    u32 t = threadIdx.x;
    if (lane() < 16) out[t] = __shfl_sync(0xffffu, t + 1000, lane() + 16);
}

extern "C" __global__ void lanes_hand_over_a_lock(u32* out) {
    // out[1000] is the lock, out[1001] what it protects.
    while (atomicCAS(&out[1000], 0, 1) != 0) {}
    volatile u32* sum = &out[1001];
    *sum = *sum + 1;
    __threadfence();
    atomicExch(&out[1000], 0);
    out[threadIdx.x] = 1;
}

extern "C" __global__ void a_lane_waits_for_a_later_one(u32* out) {
    volatile u32* flag = &out[1000];
    u32 t = threadIdx.x;
    if (lane() == 0) { while (flag[t / 32] == 0) {} out[t] = 1; }
    else if (lane() == 1) { flag[t / 32] = 7; out[t] = 2; }
    else out[t] = 3;
}

extern "C" __global__ void a_lane_waits_for_an_earlier_one(u32* out) {
    volatile u32* flag = &out[1000];
    u32 t = threadIdx.x;
    if (lane() == 1) { while (flag[t / 32] == 0) {} out[t] = 1; }
    else if (lane() == 0) { flag[t / 32] = 7; out[t] = 2; }
    else out[t] = 3;
}

// ---- the heap and printf ----

extern "C" __device__ void* malloc(size_t);
extern "C" __device__ void free(void*);

extern "C" __global__ void heap_words(u32* out) {
    u32 t = threadIdx.x;
    u32* own = (u32*)malloc(40);
    out[t * 4] = own != 0;
    out[t * 4 + 1] = (u32)((unsigned long long)own % 16);
    for (u32 i = 0; i < 10; i++) own[i] = t * 10 + i;
    __syncthreads();
    u32 sum = 0;
    for (u32 i = 0; i < 10; i++) sum += own[i];
    out[t * 4 + 2] = sum;
    free(own);
    free(0);
    void* nothing = malloc(0);
    out[t * 4 + 3] = nothing != 0;
    free(nothing);
}

extern "C" __global__ void heap_limits(u32* out) {
    if (threadIdx.x != 0) return;
    void* large = malloc(9u << 20);
    out[0] = large == 0;
    large = malloc(4u << 20);
    out[1] = large != 0;
    void* second = malloc(5u << 20);
    out[2] = second == 0;
    free(large);
    large = malloc(4u << 20);
    out[3] = large != 0;
}

extern "C" __global__ void printf_returns(u32* out) {
    if (threadIdx.x != 0) return;
    out[0] = printf("\n");
    out[1] = printf("%d %s %f\n", 5, "five", 5.0);
    out[2] = printf("%%|%5d|%-5d|%05d|%+d|% d|%x|%#X|%o|%u|%c|\n", 42, 42, 42, 42, 42, 255, 255, 8, 4000000000u, 'z');
    out[3] = printf("%f|%.2f|%10.3e|%g|%G|%a|%-10.1f|\n", 1.5, 2.345, 12345.678, 1e-5, 1e20, 1.0, 3.14159);
    out[4] = printf("%lld|%llu|%llx|%ld|%hd|%hu|\n", -5ll, 18446744073709551615ull, 255ull, -7l, (short)-3, 70000);
    out[5] = printf("%s|%10s|%-6s|%.2s|\n", "abc", "abc", "abc", "abc");
    out[6] = printf("%p|%p|\n", (void*)0, (void*)0x1234);
    out[7] = printf("%*d|%.*f|\n", 6, 42, 2, 1.23456);
    out[8] = printf("%i %hx\n", 4, 0x12345);
    out[10] = printf("no newline");
    out[11] = printf("\n%f %f %f %e\n", 1.0 / 0.0, -1.0 / 0.0, 0.0 / 0.0 , 0.0);
    out[12] = printf("%5%|%F %d\n", 1.5, 5);
}

extern "C" __global__ void printf_order_of_lanes(u32* out) {
    if (lane() % 2) printf("%d ", threadIdx.x % 32);
    if (threadIdx.x >= 32) return;
    out[threadIdx.x] = 1;
}

extern "C" __global__ void stops_at_brkpt(u32* out) { asm volatile("brkpt;"); out[threadIdx.x] = 1; }
