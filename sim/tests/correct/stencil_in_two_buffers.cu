// A three-point stencil from one buffer to another: blocks share what they only read.
// expect: none
// launch: 4 64
// args: iota:256 zeros:1024

extern "C" __global__ void stencil_in_two_buffers(const int *a, int *b)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < 255)
        b[i] = a[i - 1] + a[i] + a[i + 1];
}
