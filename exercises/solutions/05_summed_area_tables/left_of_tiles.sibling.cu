// A sibling: for each of some shops, how many were sold before each month.
//
// A thread has one shop. `own` keeps what the month sold before the place is
// overwritten: the place gets what came before, and only then is the month added.
// Months of different shops do not touch each other.
extern "C" __global__ void sold_before(int *sold, int months, int shops)
{
    int shop = blockIdx.x * blockDim.x + threadIdx.x;
    int before = 0;
    for (int month = 0; month < months && shop < shops; month++) {
        int *place = &sold[month * shops + shop];
        int own = *place;
        *place = before;
        before += own;
    }
}
