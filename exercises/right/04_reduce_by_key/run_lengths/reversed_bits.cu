// right: helper functions, reversed bits to find the next beginning, and a shuffle down

__device__ unsigned lanes_below(unsigned lane) { return (1u << lane) - 1; }

// How many lanes from `lane` on there are before the next bit of `mask`, or before `n`.
__device__ int distance_to_next(unsigned mask, unsigned lane, int n)
{
    unsigned behind = mask & ~(2 * lanes_below(lane) + 1);
    return min(__clz(__brev(behind)), n) - lane;
}

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    unsigned lane = threadIdx.x;
    int key = 0;
    if (lane < n) key = in[lane];
    int right = __shfl_down_sync(0xffffffff, key, 1);
    unsigned ends = __ballot_sync(0xffffffff, lane < n && right != key);
    // A run begins in lane 0 and behind each end.
    unsigned heads = (ends << 1 | 1) & (n < 32 ? lanes_below(n) : 0xffffffff);
    if (heads >> lane & 1) {
        int place = __popc(heads & lanes_below(lane));
        keys[place] = key;
        lengths[place] = distance_to_next(heads, lane, n);
    }
}
