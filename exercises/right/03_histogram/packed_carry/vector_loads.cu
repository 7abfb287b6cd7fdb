// right: loads four values at a time, and three rounds of single values make up 255

__device__ void empty(unsigned *hist, unsigned *words)
{
    for (int w = 0; w < 4; w++) {
        unsigned word = words[32 * w + threadIdx.x];
        words[32 * w + threadIdx.x] = 0;
        for (int k = 0; k < 4; k++) atomicAdd(&hist[4 * w + k], word >> 8 * k & 255);
    }
}

__device__ void count(unsigned *own, unsigned value)
{
    own[32 * (value / 4)] += 1u << 8 * (value % 4);
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    int lane = threadIdx.x;
    unsigned *own = words + lane;
    for (int w = 0; w < 4; w++) own[32 * w] = 0;

    const int fours = 4 * 32 * 63, all = 32 * 255;  // 4 * 63 + 3 is 255
    for (int begin = 0; begin < n; begin += all) {
        int first = begin;
        for (; first + 128 <= min(n, begin + fours); first += 128) {
            uchar4 four = *(const uchar4 *)&in[first + 4 * lane];
            count(own, four.x);
            count(own, four.y);
            count(own, four.z);
            count(own, four.w);
        }
        for (; first < min(n, begin + all); first += 32)
            if (first + lane < n) count(own, in[first + lane]);
        empty(hist, words);
    }
}
