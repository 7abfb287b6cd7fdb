// wrong: an atomic on a counter of the block is one instruction, too
// fails: contract
// because: It hands out places in the order of arrival: warps that come early get the
// because: first places, and the order of the elements is lost.

extern "C" __global__ void compact_block(int *out, int *counts, const int *in, int n)
{
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    __shared__ int counter;
    if (t == 0) counter = 0;
    __syncthreads();
    int place = 0;
    if (keep) place = atomicAdd(&counter, 1);
    __syncthreads();
    if (t == 255) place = counter - keep;

    if (keep) out[blockIdx.x * 256 + place] = x;
    if (t == 255) counts[blockIdx.x] = place + keep;
}
