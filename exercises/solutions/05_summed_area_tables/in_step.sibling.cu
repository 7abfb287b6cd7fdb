// A sibling: 32 numbers move to the left, one place per round.
//
// Lane 3 reads what is in place 4, and lane 4 writes to it. After the read there is a
// barrier of the warp: now every lane has its number, and may write. After the write
// there is another: now everything is written, and the next round may read.
extern "C" __global__ void rotate(int *out, const int *in, int rounds)
{
    __shared__ int place[32];
    int lane = threadIdx.x;
    place[lane] = in[lane];
    for (int k = 0; k < rounds; k++) {
        __syncwarp();
        int next = place[(lane + 1) % 32];
        __syncwarp();
        place[lane] = next;
    }
    out[lane] = place[lane];
}
