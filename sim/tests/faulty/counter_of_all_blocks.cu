// Every block adds to one sum in global memory, as if the others waited.
// expect: race
// launch: 4 32
// args: zeros:4

extern "C" __global__ void counter_of_all_blocks(int *sum)
{
    if (threadIdx.x == 0)
        *sum = *sum + 1; //~ race
}
