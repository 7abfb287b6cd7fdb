// right: the zeros below the lowest one are turned into ones and counted
template <int Block>
__device__ int index()
{
    return blockIdx.x * Block + threadIdx.x;
}

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    const int i = index<64>();
    const bool here = i < n;
    const unsigned votes = __ballot_sync(0xffffffff, here ? in[i] < 0 : false);
    int first = __popc(~votes & (votes - 1u));
    if (first == 32) first = -1;
    if (here && threadIdx.x % warpSize == 0) out[i / warpSize] = first;
}
