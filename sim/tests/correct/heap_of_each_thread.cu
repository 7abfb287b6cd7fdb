// Every thread frees its own block once; freeing null does nothing.
// expect: none
// launch: 1 32
// args: zeros:128

extern "C" __global__ void heap_of_each_thread(int *out)
{
    int *numbers = (int *)malloc((threadIdx.x + 1) * sizeof(int));
    if (numbers) {
        numbers[threadIdx.x] = threadIdx.x;
        out[threadIdx.x] = numbers[threadIdx.x];
    }
    free(numbers);
    numbers = nullptr;
    free(numbers);
}
