// An index that counts bytes, used to count elements.
// expect: out-of-bounds
// launch: 1 32
// args: zeros:128

extern "C" __global__ void bytes_for_elements(int *out)
{
    out[threadIdx.x * sizeof(int)] = 1; //~ out-of-bounds
}
