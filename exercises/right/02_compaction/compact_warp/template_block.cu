// right: the elements to keep and the size of the block are template parameters
struct Positive {
    __device__ bool operator()(int x) const { return x > 0; }
};

template <int Block, typename Keep>
__device__ void compact(int *out, int *counts, const int *in, int n, Keep keeps)
{
    int i = blockIdx.x * Block + threadIdx.x;
    int lane = threadIdx.x % warpSize;
    int x = i < n ? in[i] : 0;
    bool keep = i < n && keeps(x);
    unsigned votes = __ballot_sync(0xffffffff, keep);
    int place = __popc(votes & ~(~0u << lane));
    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / warpSize] = __popc(votes);
}

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    compact<64>(out, counts, in, n, Positive());
}
