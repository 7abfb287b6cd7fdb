// right: the lane that is the first writes its own number; lane 0 writes only if there
// right: is none
extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int warp = i / 32;
    bool negative = i < n && in[i] < 0;
    unsigned votes = __ballot_sync(0xffffffff, negative);
    bool before = votes & ((1u << lane) - 1);
    if (negative && !before) out[warp] = lane;
    if (votes == 0 && lane == 0 && i < n) out[warp] = -1;
}
