// warpbook: arch=compute_80
// A sibling: how often each letter occurs in 32 or fewer letters.
//
// All 32 lanes vote on whether they have a letter, and then those without one leave:
// `present` is the mask for what follows. Each lane gets the mask of the lanes with its
// letter; the number of ones in it is the count. All of them know it, and the one with
// the lowest bit writes it.
extern "C" __global__ void count_letters(int *counts, const char *letters, int n)
{
    int lane = threadIdx.x;
    unsigned present = __ballot_sync(0xffffffff, lane < n);
    if (lane >= n) return;
    unsigned same = __match_any_sync(present, letters[lane]);
    bool lowest = (same & ((1u << lane) - 1)) == 0;
    if (lowest) counts[letters[lane]] = __popc(same);
}
