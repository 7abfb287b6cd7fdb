// Every thread compares with a maximum that is still being found.
// expect: race
// launch: 1 64
// args: zeros:4 zeros:256

extern "C" __global__ void maximum_read_too_early(int *maximum, int *out)
{
    atomicMax(maximum, (int)threadIdx.x * 7 % 64); //~ any
    out[threadIdx.x] = *(volatile int *)maximum - threadIdx.x;
    out[threadIdx.x] += *maximum; //~ any
}
