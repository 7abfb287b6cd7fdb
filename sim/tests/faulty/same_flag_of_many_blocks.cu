// Every block sets the same flag to the same value: the result is sure, the way to it is not clean.
// expect: remark
// launch: 4 32
// args: zeros:4

extern "C" __global__ void same_flag_of_many_blocks(int *found)
{
    if (threadIdx.x == 0)
        *found = 1; //~ remark
}
