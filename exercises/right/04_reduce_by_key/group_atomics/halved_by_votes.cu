// right: all lanes stay in the loop: each adds its next peer, and votes take the added
// right: ones out
// warpbook: arch=compute_80

extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
    bool in = i < n;
    int key = in ? keys[i] : -1;
    int value = in ? values[i] : 0;
    unsigned peers = __match_any_sync(0xffffffff, key);
    int first = __ffs(peers) - 1;
    int rank = __popc(peers & ((1u << lane) - 1));
    peers &= 0xfffffffe << lane;
    while (__any_sync(0xffffffff, peers)) {
        int next = __ffs(peers);
        int x = __shfl_sync(0xffffffff, value, next ? next - 1 : lane);
        if (next) value += x;
        unsigned done = __ballot_sync(0xffffffff, rank & 1);
        peers &= ~done;
        rank >>= 1;
    }
    if (in && lane == first) atomicAdd(&sums[key], value);
}
