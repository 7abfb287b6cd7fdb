// A sibling: 64 numbers are smoothed three times, each becoming the sum of itself and
// its left neighbour's half.
//
// Round 1 reads words 0 to 63 and writes words 64 to 127; round 2 the other way round.
// A round reads nothing of the half that it writes, and it writes every word of it,
// also that of thread 0, which has no neighbour: the next round reads it.
extern "C" __global__ void smooth(int *out, const int *in)
{
    __shared__ int words[2 * 64];
    int t = threadIdx.x;
    int read = 0, write = 64;
    words[t] = in[t];
    __syncthreads();
    for (int round = 0; round < 3; round++) {
        words[write + t] = words[read + t] + (t > 0 ? words[read + t - 1] / 2 : 0);
        __syncthreads();
        read = 64 - read;
        write = 64 - write;
    }
    out[t] = words[read + t];
}
