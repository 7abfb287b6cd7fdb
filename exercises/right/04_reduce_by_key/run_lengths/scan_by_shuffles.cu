// right: numbers the runs by a scan with shuffles, and a head gets the next head's lane
// right: by another one

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    bool head = lane < n && (lane == 0 || left != key);

    // How many heads there are up to this lane.
    int number = head;
    for (int distance = 1; distance < warpSize; distance *= 2) {
        int before = __shfl_up_sync(0xffffffff, number, distance);
        if (lane >= distance) number += before;
    }
    // The lowest head behind this lane, or n.
    int next = head ? lane : n;
    for (int distance = 1; distance < warpSize; distance *= 2) {
        int behind = __shfl_down_sync(0xffffffff, next, distance);
        if (lane + distance < warpSize) next = min(next, behind);
    }
    int end = __shfl_down_sync(0xffffffff, next, 1);
    if (lane == warpSize - 1) end = n;
    if (head) {
        keys[number - 1] = key;
        lengths[number - 1] = end - lane;
    }
}
