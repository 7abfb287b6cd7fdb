// Every block reads the sums of all blocks, which nothing makes wait.
// expect: race
// launch: 4 32
// args: zeros:16 zeros:16

extern "C" __global__ void sums_of_other_blocks(int *sums, int *total)
{
    if (threadIdx.x != 0)
        return;
    sums[blockIdx.x] = blockIdx.x; //~ any
    __threadfence();
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++)
        sum += sums[b]; //~ any
    total[blockIdx.x] = sum;
}
