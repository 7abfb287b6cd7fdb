// A sibling: the largest value so far of each run of equal keys.
//
// Keys 7 7 4 7: lane 3 is a run of its own, which begins at lane 3. In the round with
// distance 2, lane 3 gets the value of lane 1, whose key is 7, too, but which lies
// before the beginning: 3 - 2 < 3. Lane 1 begins at lane 0 and may take lane 0's:
// 1 - 1 >= 0.
extern "C" __global__ void largest_of_run(int *largest, const int *keys,
                                          const int *values)
{
    int lane = threadIdx.x, key = keys[lane], most = values[lane];
    int left = __shfl_up_sync(0xffffffff, key, 1);
    unsigned heads = __ballot_sync(0xffffffff, lane == 0 || left != key);
    int begin = 31 - __clz(heads & (0xffffffff >> (31 - lane)));
    for (int distance = 1; distance < 32; distance *= 2) {
        int from = lane - distance;
        int other = __shfl_up_sync(0xffffffff, most, distance);
        if (from >= begin) most = max(most, other);
    }
    largest[lane] = most;
}
