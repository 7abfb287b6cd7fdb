// Only the lanes of a branch shuffle, and the mask names just them; with their width, the last reads from itself.
// expect: none
// launch: 1 32
// args: zeros:128

extern "C" __global__ void shuffle_of_a_branch(int *out)
{
    int value = threadIdx.x;
    if (threadIdx.x < 16)
        value = __shfl_down_sync(0x0000ffff, value, 1, 16);
    out[threadIdx.x] = value;
}
