// wrong: each head counts its run in a loop
// fails: contract
// because: The result is right, but a head that walks along its run loads its elements
// because: once more, one after another, while the other lanes wait.

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && (lane == 0 || left != key);
    unsigned heads = __ballot_sync(0xffffffff, head);
    unsigned below = heads & ((1u << lane) - 1);
    int end = lane;
    while (end < n && in[end] == key) end++;
    if (head) {
        keys[__popc(below)] = key;
        lengths[__popc(below)] = end - lane;
    }
}
