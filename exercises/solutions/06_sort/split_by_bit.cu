// Two splits of a warp's keys.
__device__ unsigned split(unsigned key, unsigned bit)
{
    unsigned lane = threadIdx.x;
    bool zero = (key >> bit & 1) == 0;
    unsigned zeros = __ballot_sync(0xffffffff, zero);
    unsigned before = __popc(zeros & ((1u << lane) - 1));
    return zero ? before : __popc(zeros) + lane - before;
}

extern "C" __global__ void two_splits(unsigned *first, unsigned *place,
                                      unsigned *sorted)
{
    __shared__ unsigned keys[32];
    unsigned lane = threadIdx.x, key = lane * 3 % 4;
    unsigned to = split(key, 0);
    place[lane] = to;
    first[to] = key;
    keys[to] = key;
    __syncwarp();
    key = keys[lane];
    sorted[split(key, 1)] = key;
}
