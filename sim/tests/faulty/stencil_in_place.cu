// A three-point stencil in one buffer: neighbours may be old or new.
// expect: race
// launch: 4 64
// args: iota:256

extern "C" __global__ void stencil_in_place(int *a)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i < 255)
        a[i] = a[i - 1] + a[i + 1]; //~ race
}
