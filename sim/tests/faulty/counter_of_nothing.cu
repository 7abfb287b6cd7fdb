// An atomic counter that nobody has set to zero.
// expect: uninitialized
// launch: 4 32
// args: uninit:4

extern "C" __global__ void counter_of_nothing(int *counter)
{
    atomicAdd(counter, 1); //~ uninitialized
}
