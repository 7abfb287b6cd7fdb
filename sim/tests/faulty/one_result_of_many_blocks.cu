// Every block writes its own number to the one result.
// expect: race
// launch: 4 32
// args: zeros:4

extern "C" __global__ void one_result_of_many_blocks(int *result)
{
    if (threadIdx.x == 0)
        *result = blockIdx.x; //~ race
}
