// right: the shuffle itself says, by its predicate, whether there is such a lane
__device__ int add_lane_before(int sum, int d)
{
    int result;
    asm volatile("{\n"
                 "    .reg .s32 before;\n"
                 "    .reg .pred there;\n"
                 "    shfl.sync.up.b32 before|there, %1, %2, 0, 0xffffffff;\n"
                 "    mov.s32 %0, %1;\n"
                 "    @there add.s32 %0, before, %1;\n"
                 "}"
                 : "=&r"(result)
                 : "r"(sum), "r"(d));
    return result;
}

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;
    int sum = x;
    for (int d = 1; d < 32; d *= 2) sum = add_lane_before(sum, d);
    if (i < n) out[i] = sum - x;
}
