// One thread writes a pair, another reads half of it.
// expect: race
// launch: 1 64
// args: zeros:256

extern "C" __global__ void pair_and_half(int *out)
{
    __shared__ int2 pairs[64];
    pairs[threadIdx.x] = make_int2(threadIdx.x, 1); //~ party
    out[threadIdx.x] = reinterpret_cast<int *>(pairs)[threadIdx.x * 2 ^ 64]; //~ race
}
