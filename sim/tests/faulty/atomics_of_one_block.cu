// Atomics with the scope of a block, on a counter of the whole grid.
// expect: race
// launch: 4 32
// args: zeros:4

extern "C" __global__ void atomics_of_one_block(int *counter)
{
    atomicAdd_block(counter, 1); //~ race
}
