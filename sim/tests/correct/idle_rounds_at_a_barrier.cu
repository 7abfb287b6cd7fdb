// All threads make the same number of rounds, those without work idle ones; none returns early.
// expect: none
// launch: 2 64
// args: iota:100 zeros:400 u32:100

extern "C" __global__ void idle_rounds_at_a_barrier(const int *in, int *out, unsigned n)
{
    __shared__ int words[64];
    unsigned t = threadIdx.x, i = blockIdx.x * 64 + t;
    words[t] = i < n ? in[i] : 0;
    for (unsigned d = 32; d > 0; d /= 2) {
        __syncthreads();
        if (t < d)
            words[t] += words[t + d];
    }
    __syncthreads();
    if (i < n)
        out[i] = words[0];
}
