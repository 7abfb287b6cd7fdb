// A counter of anything is set by an exchange before it counts.
// expect: none
// launch: 1 64
// args: uninit:4

extern "C" __global__ void counter_set_by_exchange(int *counter)
{
    if (threadIdx.x == 0)
        atomicExch(counter, 0);
    __syncthreads();
    atomicAdd(counter, 1);
}
