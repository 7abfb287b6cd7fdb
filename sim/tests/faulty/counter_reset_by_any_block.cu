// Every block resets the counter when it is done, while others still count.
// expect: race
// launch: 4 64
// args: zeros:4 zeros:16

extern "C" __global__ void counter_reset_by_any_block(unsigned *counter, unsigned *out)
{
    if (threadIdx.x == 0) {
        out[blockIdx.x] = atomicAdd(counter, 1); //~ any
        *counter = 0; //~ any
    }
}
