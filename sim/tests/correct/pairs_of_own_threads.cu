// Every thread writes a pair and reads its halves.
// expect: none
// launch: 1 64
// args: zeros:256

extern "C" __global__ void pairs_of_own_threads(int *out)
{
    __shared__ int2 pairs[64];
    pairs[threadIdx.x] = make_int2(threadIdx.x, 1);
    out[threadIdx.x] = reinterpret_cast<volatile int *>(pairs)[threadIdx.x * 2];
}
