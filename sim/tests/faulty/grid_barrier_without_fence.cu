// A barrier of all blocks made of an atomic counter; the writes before it are not fenced.
// expect: race
// launch: 2 32
// args: zeros:8 zeros:4 zeros:8

extern "C" __global__ void grid_barrier_without_fence(int *parts, int *arrived, int *out)
{
    if (threadIdx.x != 0)
        return;
    parts[blockIdx.x] = blockIdx.x + 1; //~ party
    // __threadfence() is missing
    atomicAdd(arrived, 1);
    if (blockIdx.x == 1) {
        while (atomicAdd(arrived, 0) < 2) {
        }
        out[0] = parts[0]; //~ race
    }
}
