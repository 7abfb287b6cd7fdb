// wrong: the number of a run is the number of heads up to it
// fails: result
// because: The heads below, without its own: the first run has number 0.

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && (lane == 0 || left != key);
    unsigned heads = __ballot_sync(0xffffffff, head);
    unsigned below = heads & (0xffffffff >> (31 - lane));
    unsigned above = heads & (0xfffffffe << lane);
    int end = above ? __ffs(above) - 1 : n;
    if (head) {
        keys[__popc(below)] = key;
        lengths[__popc(below)] = end - lane;
    }
}
