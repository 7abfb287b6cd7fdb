// What every block wrote, all read behind a barrier of the whole grid.
// expect: none
// launch: 4 64
// args: zeros:1024 zeros:1024

#include <cooperative_groups.h>

extern "C" __global__ void grid_that_waits_for_itself(int *first, int *second)
{
    auto grid = cooperative_groups::this_grid();
    int at = grid.thread_rank(), count = grid.size();
    first[at] = at;
    grid.sync();
    second[at] = first[count - 1 - at];
    grid.sync();
    first[at] = second[(at + 1) % count];
}
