// A block of the device heap is freed by the thread that made it and once more behind the branch.
// expect: invalid-free
// launch: 1 1
// args: zeros:4

extern "C" __global__ void freed_twice(int *out)
{
    int *numbers = (int *)malloc(4 * sizeof(int));
    if (!numbers)
        return;
    numbers[0] = 7;
    *out = numbers[0];
    if (*out == 7)
        free(numbers);
    free(numbers); //~ invalid-free
}
