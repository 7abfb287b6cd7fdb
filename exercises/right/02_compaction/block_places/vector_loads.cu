// right: all eight totals come in two loads of 16 bytes
extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int4 totals[2];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int lane = t % 32;
    int warp = t / 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = __ballot_sync(0xffffffff, keep);
    if (lane == 0) reinterpret_cast<int *>(totals)[warp] = __popc(votes);
    __syncthreads();
    int4 low = totals[0];
    int4 high = totals[1];
    int place = __popc(votes & ((1u << lane) - 1));
    place += (warp > 0 ? low.x : 0) + (warp > 1 ? low.y : 0) + (warp > 2 ? low.z : 0) +
             (warp > 3 ? low.w : 0);
    place +=
        (warp > 4 ? high.x : 0) + (warp > 5 ? high.y : 0) + (warp > 6 ? high.z : 0);

    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 0)
        counts[blockIdx.x] =
            low.x + low.y + low.z + low.w + high.x + high.y + high.z + high.w;
}
