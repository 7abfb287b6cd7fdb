// The block with the last ticket reads the sums of all blocks, which no fence has put before their tickets.
// expect: race
// launch: 4 32
// args: zeros:16 zeros:4 zeros:4

extern "C" __global__ void last_block_without_fence(int *sums, int *tickets, int *total)
{
    if (threadIdx.x != 0)
        return;
    sums[blockIdx.x] = blockIdx.x; //~ party
    // __threadfence() is missing
    if (atomicAdd(tickets, 1) != gridDim.x - 1)
        return;
    int sum = 0;
    for (int b = 0; b < gridDim.x; b++)
        sum += sums[b]; //~ race
    *total = sum;
}
