// right: the last lane of a run writes for it, and asks where its run has begun

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    const unsigned lane = threadIdx.x;
    const bool present = lane < n;
    const int key = present ? in[lane] : 0;
    const int left = __shfl_up_sync(~0u, key, 1);
    const unsigned heads = __ballot_sync(~0u, present && (lane == 0 || left != key));
    const bool last =
        lane + 1 == n || (present && lane < 31 && (heads >> (lane + 1)) & 1);
    if (last) {
        const unsigned so_far = heads & (~0u >> (31 - lane));
        const int run = __popc(so_far) - 1;
        const int begin = 31 - __clz(so_far);
        keys[run] = key;
        lengths[run] = lane - begin + 1;
    }
}
