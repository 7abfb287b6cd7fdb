// A ballot makes lanes meet, but orders no memory.
// expect: race
// launch: 1 32
// args: zeros:128

extern "C" __global__ void vote_is_no_barrier(int *out)
{
    __shared__ int words[32];
    words[threadIdx.x] = threadIdx.x; //~ party
    unsigned odd = __ballot_sync(0xffffffff, threadIdx.x & 1);
    out[threadIdx.x] = words[31 - threadIdx.x] + odd; //~ race
}
