// wrong: it does not matter which pairs are added first
// fails: contract
// because: The sum does not mind, the banks do: with threads 2 * distance apart, the
// because: lanes that are left meet on few banks, and every warp stays busy to the last
// because: round with ever fewer lanes.

extern "C" __global__ void block_sum(int *out, const int *in, int n)
{
    __shared__ int partial[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    partial[t] = i < n ? in[i] : 0;

    __syncthreads();
    for (int distance = 1; distance < 256; distance *= 2) {
        int at = 2 * distance * t;
        if (at < 256) partial[at] += partial[at + distance];
        __syncthreads();
    }

    if (t == 0) out[blockIdx.x] = partial[0];
}
