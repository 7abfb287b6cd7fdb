// One warp compacts 32 numbers: it keeps the positive ones, side by side and in order.
extern "C" __global__ void compact(int *out, int *places, const int *in)
{
    int lane = threadIdx.x;
    int x = in[lane];
    bool keep = x > 0;
    unsigned votes = __ballot_sync(0xffffffff, keep);
    int place = __popc(votes & ((1u << lane) - 1));
    places[lane] = place;
    if (keep) {
        out[place] = x;
    }
}
