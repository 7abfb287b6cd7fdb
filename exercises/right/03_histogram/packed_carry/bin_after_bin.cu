// right: the loop over the 16 bins is not unrolled and loads the word anew for each,
// right: and each thread walks along its own elements

__device__ void empty(unsigned *hist, unsigned *words)
{
#pragma unroll 1
    for (int v = 0; v < 16; v++) {
        unsigned word = words[32 * (v >> 2) + threadIdx.x];
        atomicAdd(hist + v, word >> (v & 3) * 8 & 0xff);
    }
    for (int w = 0; w < 4; w++) words[32 * w + threadIdx.x] = 0;
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    const int lane = threadIdx.x;
    for (int w = 0; w < 4; w++) words[32 * w + lane] = 0;

    for (int piece = 0; piece < n; piece += 255 * 32) {
        const int end = min(n, piece + 255 * 32);
#pragma unroll 1
        for (int i = piece + lane; i < end; i += 32)
            words[32 * (in[i] >> 2) + lane] += 1u << 8 * (in[i] & 3);
        __syncwarp();
        empty(hist, words);
    }
}
