// Two halves of a warp each meet among themselves and then read what the other half wrote.
// expect: race
// launch: 1 32
// args: zeros:128

extern "C" __global__ void syncwarp_of_other_lanes(int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x; //~ party
    __syncwarp(threadIdx.x < 16 ? 0x0000ffff : 0xffff0000);
    out[threadIdx.x] = words[threadIdx.x ^ 16]; //~ race
}
