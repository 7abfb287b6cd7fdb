// Atomics with the scope of a block, on a counter of each block.
// expect: none
// launch: 4 32
// args: zeros:16

extern "C" __global__ void atomics_of_each_block(int *counters)
{
    atomicAdd_block(&counters[blockIdx.x], 1);
}
