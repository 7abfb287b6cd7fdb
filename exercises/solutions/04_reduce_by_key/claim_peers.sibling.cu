// warpbook: arch=compute_80
// A sibling: in each round the smallest number that is left, and one more, is taken off
// all numbers that are left. A lane whose number falls below 0 is done. Some lanes have
// no number at all.
//
// `present` is asked while all 32 lanes still execute the same line. A lane that is
// done leaves the loop, so the mask of the next round must not name it: the ballot of
// those that stay, taken while it is still here, is that mask.
extern "C" __global__ void rounds_until_done(int *rounds, const int *numbers, int n)
{
    int lane = threadIdx.x;
    unsigned present = __ballot_sync(0xffffffff, lane < n);
    if (lane >= n) return;
    int left = numbers[lane], round = 0;
    bool stays = true;
    while (stays) {
        left -= __reduce_min_sync(present, left) + 1;
        round++;
        stays = left >= 0;
        present = __ballot_sync(present, stays);
    }
    rounds[lane] = round;
}
