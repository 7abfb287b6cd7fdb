// Every block adds to one sum with an atomic.
// expect: none
// launch: 4 32
// args: zeros:4

extern "C" __global__ void atomic_counter_of_all_blocks(int *sum)
{
    if (threadIdx.x == 0)
        atomicAdd(sum, 1);
}
