// Every warp takes a range of the output with one atomic, and its lanes write side by side.
// expect: none
// launch: 2 64
// args: iota:128 zeros:4 zeros:512

extern "C" __global__ void compaction(const int *in, int *count, int *out)
{
    int value = in[blockIdx.x * 64 + threadIdx.x], lane = threadIdx.x % 32;
    unsigned keep = __ballot_sync(0xffffffff, value % 3 == 0);
    int first = 0;
    if (lane == 0)
        first = atomicAdd(count, __popc(keep));
    first = __shfl_sync(0xffffffff, first, 0);
    if (value % 3 == 0)
        out[first + __popc(keep & ((1u << lane) - 1))] = value;
}
