// The pointer has moved on before it is freed.
// expect: invalid-free
// launch: 1 1
// args: zeros:4

extern "C" __global__ void freed_in_the_middle(int *out)
{
    int *numbers = (int *)malloc(8 * sizeof(int));
    if (!numbers)
        return;
    for (int i = 0; i < 8; i++)
        *numbers++ = i;
    *out = numbers[-1];
    free(numbers); //~ invalid-free
}
