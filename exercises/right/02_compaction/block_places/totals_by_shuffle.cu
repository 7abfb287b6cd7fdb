// right: eight lanes of every warp load the eight totals at once, and scan them with
// right: three shuffles
extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    __shared__ int totals[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int lane = t % 32;
    int warp = t / 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    unsigned votes = __ballot_sync(0xffffffff, keep);
    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    int upto = lane < 8 ? totals[lane] : 0;
    for (int d = 1; d < 8; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, upto, d);
        if (lane >= d) upto += before;
    }
    int first = __shfl_sync(0xffffffff, upto, warp) - __popc(votes);
    int place = first + __popc(votes & ((1u << lane) - 1));

    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 255) counts[blockIdx.x] = place + keep;
}
