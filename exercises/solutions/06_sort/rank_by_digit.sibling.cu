// A sibling: 32 people, each of height 1, 2 or 3, are in a row. Who is taller than
// me, and who of my height is before me?
//
// All lanes execute each ballot, also those that do not have this height: all
// lanes vote. What is done with the votes differs from lane to lane: the count
// of all of them, the count of those below the own lane, or nothing.
extern "C" __global__ void in_the_row(int *taller, int *before, const int *heights)
{
    int lane = threadIdx.x, height = heights[lane];
    int more = 0, same = 0;
    for (int h = 1; h <= 3; h++) {
        unsigned votes = __ballot_sync(0xffffffff, height == h);
        if (h > height) more += __popc(votes);
        if (h == height) same = __popc(votes & ((1u << lane) - 1));
    }
    taller[lane] = more;
    before[lane] = same;
}
