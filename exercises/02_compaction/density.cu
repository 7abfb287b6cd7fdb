// Keeps the elements that are 0, side by side and in order.
extern "C" __global__ void compact(int *out, const int *in)
{
    __shared__ int totals[8];
    int lane = threadIdx.x % 32;
    int warp = threadIdx.x / 32;
    bool keep = in[threadIdx.x] == 0;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    if (lane == 0) totals[warp] = __popc(votes);
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1));
    for (int before = 0; before < warp; before++) place += totals[before];
    if (keep) out[place] = threadIdx.x;
}
