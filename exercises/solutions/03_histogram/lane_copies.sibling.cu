// A sibling: 64 threads add up the 64 rows of a matrix in shared memory, 32 words each.
//
// Row t begins at word 32 * t, in bank 0, for every t. If all threads walk from
// column 0 on, then in each step the 32 lanes of a warp are in one bank: 32 wavefronts
// per load. If thread t begins at column t and comes back to the beginning behind
// column 31, then in step k it is in bank (k + t) % 32: 32 lanes, 32 banks. It adds up
// the same 32 words, in another order.
extern "C" __global__ void row_sums(int *sums, const int *in)
{
    __shared__ int rows[64 * 32];
    int t = threadIdx.x;
    for (int i = t; i < 64 * 32; i += 64) rows[i] = in[i];
    __syncthreads();
    int sum = 0;
    for (int k = 0; k < 32; k++) sum += rows[32 * t + (k + t) % 32];
    sums[t] = sum;
}
