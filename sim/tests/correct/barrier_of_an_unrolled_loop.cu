// The compiler copies the barrier of an unrolled loop: in the source it is one.
// expect: none
// launch: 1 64
// args: zeros:256

extern "C" __global__ void barrier_of_an_unrolled_loop(int *out)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    words[t] = t;
#pragma unroll
    for (int d = 1; d < 64; d *= 2) {
        __syncthreads();
        int other = words[t ^ d];
        __syncthreads();
        words[t] += other;
    }
    out[t] = words[t];
}
