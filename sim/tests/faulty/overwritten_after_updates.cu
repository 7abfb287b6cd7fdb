// All blocks count, and one of them begins anew without knowing that the others are done.
// expect: race
// launch: 2 64
// args: zeros:4

extern "C" __global__ void overwritten_after_updates(int *counter)
{
    atomicAdd(counter, 1); //~ any
    if (blockIdx.x == 1 && threadIdx.x == 0)
        *counter = 0; //~ any
}
