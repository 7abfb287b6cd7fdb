// The last thread that counts reads what the others have written. Each releases its word, none acquires the others'.
// expect: race
// launch: 4 32
// args: zeros:16 zeros:4 zeros:4

extern "C" __global__ void relaxed_look_at_a_counter(int *words, unsigned *count, int *sum)
{
    if (threadIdx.x != 0)
        return;
    words[blockIdx.x] = blockIdx.x; //~ any
    __threadfence();
    if (atomicAdd(count, 1) == gridDim.x - 1) {
        int total = 0;
        for (int b = 0; b < 4; b++)
            total += words[b]; //~ any
        *sum = total;
    }
}
