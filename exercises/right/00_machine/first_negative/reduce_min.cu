// right: the smallest number of a lane that is negative, by the warp's one instruction
// right: for a minimum
// warpbook: arch=compute_80
extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    unsigned lane = threadIdx.x % 32;
    bool negative = i < n && in[i] < 0;
    unsigned first = __reduce_min_sync(0xffffffff, negative ? lane : 0xffffffffu);
    if (lane == 0 && i < n) out[i / 32] = (int)first;
}
