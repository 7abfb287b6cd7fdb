// A sibling: where a number would go in a sorted list, in front of all equal ones and
// behind all of them.
//
// The list is 2 5 5 7. In front of the fives is place 1, the number of smaller ones;
// behind them is place 3, the number of smaller and equal ones. What makes the
// difference is what the search says about an equal number: `<` lets it stop before,
// `<=` go past.
extern "C" __global__ void both_ends(int *front, int *behind, const int *list,
                                     const int *numbers, int n)
{
    int number = numbers[threadIdx.x];
    for (int past = 0; past < 2; past++) {
        int low = 0, high = n;
        while (low < high) {
            int middle = (low + high) / 2;
            bool go_on = list[middle] < number || (past == 1 && list[middle] == number);
            (go_on ? low : high) = go_on ? middle + 1 : middle;
        }
        (past ? behind : front)[threadIdx.x] = low;
    }
}
