// A word is built at any byte of shared memory.
// expect: misaligned
// launch: 1 32
// args: zeros:128

extern "C" __global__ void word_at_an_odd_byte(int *out)
{
    __shared__ char bytes[160];
    *reinterpret_cast<volatile int *>(bytes + threadIdx.x * 5) = 1; //~ misaligned
    out[threadIdx.x] = 1;
}
