// The launch gives too little shared memory.
// expect: out-of-bounds
// launch: 1 64 252
// args: zeros:256

extern "C" __global__ void behind_dynamic_shared_memory(int *out)
{
    extern __shared__ int words[];
    words[threadIdx.x] = threadIdx.x; //~ out-of-bounds
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x & 31];
}
