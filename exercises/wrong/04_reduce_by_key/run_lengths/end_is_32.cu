// wrong: the last run ends with the warp
// fails: result
// because: The last run ends with the array, which may have fewer than 32 elements.

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && (lane == 0 || left != key);
    unsigned heads = __ballot_sync(0xffffffff, head);
    unsigned below = heads & ((1u << lane) - 1);
    unsigned above = heads & (0xfffffffe << lane);
    int end = above ? __ffs(above) - 1 : 32;
    if (head) {
        keys[__popc(below)] = key;
        lengths[__popc(below)] = end - lane;
    }
}
