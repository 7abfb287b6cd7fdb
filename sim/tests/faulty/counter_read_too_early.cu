// An atomic counter is read by a plain load while other blocks still count.
// expect: race
// launch: 4 32
// args: zeros:4 zeros:16

extern "C" __global__ void counter_read_too_early(int *counter, int *out)
{
    if (threadIdx.x != 0)
        return;
    atomicAdd(counter, 1); //~ any
    out[blockIdx.x] = *counter; //~ any
}
