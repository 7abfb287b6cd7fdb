// The lanes with equal keys form groups, which exchange values and meet on their own.
// expect: none
// launch: 1 32
// args: zeros:128 zeros:128

extern "C" __global__ void groups_of_equal_keys(int *words, int *out)
{
    int t = threadIdx.x;
    unsigned group = __match_any_sync(0xffffffff, t % 5);
    words[t] = t;
    __syncwarp(group);
    int leader = __ffs(group) - 1;
    out[t] = words[leader] + __popc(group);
}
