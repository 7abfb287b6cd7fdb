// How many of the first `place` keys of the merged run come from the left one.
extern "C" __global__ void places(unsigned *from_left, unsigned *steps, const int *left,
                                  const int *right)
{
    unsigned place = 2 * threadIdx.x, round = 0;
    unsigned low = place > 8 ? place - 8 : 0, high = min(place, 8u);
    while (low < high) {
        unsigned middle = (low + high) / 2;
        if (left[middle] <= right[place - 1 - middle])
            low = middle + 1;
        else
            high = middle;
        round++;
    }
    from_left[threadIdx.x] = low;
    steps[threadIdx.x] = round;
}
