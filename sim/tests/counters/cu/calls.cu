// Functions that are called through pointers, and functions that call themselves.
#define KERNEL extern "C" __global__ void
typedef float (*function)(float);
__device__ __noinline__ float add_one(float v) { return v + 1; }
__device__ __noinline__ float times_three(float v) { return v * 3; }
__device__ __noinline__ float half_of(float v) { return v * 0.5f; }
__constant__ function functions[3] = {add_one, times_three, half_of};
KERNEL calls_through_pointers(float *out, const float *in) {
    // Nothing brings the lanes together behind the call.
    int t = threadIdx.x;
    float v = functions[t % 3](in[t]);
    out[t] = v + in[t + 256];
}
KERNEL pointer_in_a_condition(float *out, const float *in) {
    int t = threadIdx.x;
    float v = in[t];
    if (t % 4 != 0) v = functions[t % 3](v);
    out[t] = v + in[t + 256];
}
KERNEL pointers_in_a_loop(float *out, const float *in, int rounds) {
    int t = threadIdx.x;
    float v = in[t];
    for (int i = 0; i < rounds; i++) {
        v = functions[(t + i) % 3](v) + in[t + 256 + i];
        out[t + i * 256] = v;
    }
}
KERNEL pointers_before_a_barrier(float *out, const float *in) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[t] = functions[t % 2](in[t]);
    __syncthreads();
    out[t] = s[255 - t];
}
__device__ __noinline__ int factorial(const int *in, int n) {
    if (n < 2) return in[0];
    int below = factorial(in, n - 1);
    return below * in[n] + n;
}
KERNEL recursion_of_one_depth(int *out, const int *in, int n) {
    int t = threadIdx.x;
    out[t] = factorial(in, n) + t;
}
KERNEL recursion_by_lane(int *out, const int *in) {
    int t = threadIdx.x;
    out[t] = factorial(in, 1 + t % 6) + in[t + 16];
}
__device__ __noinline__ int sum_of_tree(const int *in, int at, int leaves) {
    if (at >= leaves) return in[at];
    return sum_of_tree(in, 2 * at, leaves) + sum_of_tree(in, 2 * at + 1, leaves);
}
KERNEL recursion_over_trees(int *out, const int *in) {
    int t = threadIdx.x;
    out[t] = sum_of_tree(in, 1 + t % 8, 16) + in[t + 64];
}
