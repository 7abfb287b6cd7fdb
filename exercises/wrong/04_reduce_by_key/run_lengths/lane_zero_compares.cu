// wrong: lane 0 can compare itself with its left neighbour like all others
// fails: result
// because: __shfl_up_sync gives lane 0 its own value: it finds itself equal, and the
// because: first run is never begun.

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && left != key;
    unsigned heads = __ballot_sync(0xffffffff, head);
    unsigned below = heads & ((1u << lane) - 1);
    unsigned above = heads & (0xfffffffe << lane);
    int end = above ? __ffs(above) - 1 : n;
    if (head) {
        keys[__popc(below)] = key;
        lengths[__popc(below)] = end - lane;
    }
}
