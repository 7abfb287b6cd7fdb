// The counter is set to zero without a barrier before the threads count with it.
// expect: race
// launch: 1 64
// args: zeros:4

extern "C" __global__ void counter_reset_too_late(int *counter)
{
    if (threadIdx.x == 0)
        *counter = 0; //~ any
    atomicAdd(counter, 1); //~ any
}
