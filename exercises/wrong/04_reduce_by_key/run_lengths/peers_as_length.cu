// wrong: the length is the number of lanes with the same key
// fails: result
// because: A key may have several runs: 5 5 2 5 has two of the key 5.

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && (lane == 0 || left != key);
    unsigned heads = __ballot_sync(0xffffffff, head);
    unsigned below = heads & ((1u << lane) - 1);
    int end = lane + __popc(__match_any_sync(0xffffffff, lane < n ? key : -1));
    if (head) {
        keys[__popc(below)] = key;
        lengths[__popc(below)] = end - lane;
    }
}
