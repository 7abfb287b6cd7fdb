// A sibling: each block mirrors 128 numbers.
//
// Thread t loads number t and puts it in place 127 - t of shared memory. After the
// barrier all of them are there, and thread t stores what is in place t: neighbours
// load neighbours and store neighbours, and what crosses over does so in shared memory.
extern "C" __global__ void mirror(float *out, const float *in)
{
    __shared__ float mirrored[128];
    int t = threadIdx.x, first = blockIdx.x * 128;
    mirrored[127 - t] = in[first + t];
    __syncthreads();
    out[first + t] = mirrored[t];
}
