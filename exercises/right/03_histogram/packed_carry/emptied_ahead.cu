// right: a lane walks with its own index, counts down how much a byte still holds, and
// right: empties its words before the element that would be too much

__device__ void empty(unsigned *hist, unsigned *own)
{
    for (int w = 0; w < 4; w++) {
        unsigned word = own[32 * w];
        own[32 * w] = 0;
        atomicAdd(&hist[4 * w], word & 255);
        atomicAdd(&hist[4 * w + 1], word >> 8 & 255);
        atomicAdd(&hist[4 * w + 2], word >> 16 & 255);
        atomicAdd(&hist[4 * w + 3], word >> 24);
    }
}

extern "C" __global__ void count_packed(unsigned *hist, const unsigned char *in, int n)
{
    __shared__ unsigned words[4 * 32];
    unsigned *own = words + threadIdx.x;
    own[0] = own[32] = own[64] = own[96] = 0;

    int room = 255;
    for (int i = threadIdx.x; i < n; i += 32) {
        if (room == 0) {
            empty(hist, own);
            room = 255;
        }
        unsigned value = in[i];
        own[32 * (value >> 2)] += 1u << 8 * (value & 3);
        room--;
    }
    empty(hist, own);
}
