// Thread 0 misses its buffer and ends there. What it would have written is missing, and that is no second fault.
// expect: out-of-bounds
// launch: 1 64
// args: zeros:256 zeros:256

extern "C" __global__ void partner_of_a_fault(const int *in, int *out)
{
    __shared__ int tile[64];
    tile[threadIdx.x] = in[threadIdx.x == 0 ? 1000 : threadIdx.x]; //~ out-of-bounds
    __syncthreads();
    out[threadIdx.x] = tile[63 - threadIdx.x];
}
