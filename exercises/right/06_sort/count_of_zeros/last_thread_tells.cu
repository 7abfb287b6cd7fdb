// right: the thread of the last key writes the total, of an inclusive scan, for all
// right: others

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int of_warp[2], zeros;
    const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
    const bool present = t < n;
    const unsigned key = present ? in[t] : 0;
    const bool zero = present && (key & (1u << bit)) == 0;

    const unsigned votes = __ballot_sync(~0u, zero);
    if (lane == 31) of_warp[warp] = __popc(votes);
    __syncthreads();
    int up_to_here = __popc(votes << (31 - lane));
    for (int w = 0; w < warp; w++) up_to_here += of_warp[w];
    if (t == n - 1) zeros = up_to_here;
    __syncthreads();
    if (zero) {
        out[up_to_here - 1] = key;
    } else if (present) {
        out[zeros + t - up_to_here] = key;
    }
}
