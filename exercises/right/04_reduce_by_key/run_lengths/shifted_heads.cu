// right: the length is the distance to the first head behind, found in the shifted
// right: votes, and lanes that begin no run leave at once

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && (lane == 0 || left != key);
    unsigned heads = __ballot_sync(0xffffffff, head);
    if (!head) return;
    unsigned behind = lane == 31 ? 0 : heads >> (lane + 1);
    int place = __popc(heads & ~(0xffffffff << lane));
    keys[place] = key;
    lengths[place] = behind ? __ffs(behind) : n - lane;
}
