// wrong: behind the merge each warp only has to wait for itself
// fails: findings
// because: Row t holds counts of all 64 threads, of both warps. Lanes of one warp are
// because: in step after __syncwarp(), the other warp is not.

extern "C" __global__ void count_rounds(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned counts[64 * 64];
    int t = threadIdx.x;
    for (int value = 0; value < 64; value++) counts[64 * value + t] = 0;

    for (int first = 0; first < n; first += 256) {
        for (int i = first + t; i < n && i < first + 256; i += 64)
            counts[64 * in[i] + t]++;
        __syncthreads();
        unsigned sum = 0;
        for (int k = 0; k < 64; k++) {
            int at = 64 * t + (k + t) % 64;
            sum += counts[at];
            counts[at] = 0;
        }
        hist[t] += sum;
        __syncwarp();
    }
}
