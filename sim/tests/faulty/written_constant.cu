// Constant memory is written through a cast.
// expect: out-of-bounds
// launch: 1 32
// args: zeros:128

__constant__ int table[32];
extern "C" __global__ void written_constant(int *out)
{
    asm volatile("st.u32 [%0], 1;" ::"l"(&table[threadIdx.x])); //~ out-of-bounds
    out[threadIdx.x] = 1;
}
