// The address of shared memory is used in an instruction for global memory.
// expect: out-of-bounds
// launch: 1 32
// args: zeros:128

extern "C" __global__ void shared_address_as_global(int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = 1;
    int value;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(&words[threadIdx.x])); //~ out-of-bounds
    out[threadIdx.x] = value;
}
