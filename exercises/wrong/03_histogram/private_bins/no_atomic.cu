// wrong: in shared memory ++ is enough
// fails: findings, result, contract
// because: Shared memory makes it fast, not indivisible: two threads load the same
// because: count, add one, and store the same number.

extern "C" __global__ void histogram(unsigned *hist, const unsigned char *in, int n)
{
    int t = threadIdx.x;
    int first = blockIdx.x * 1024;
    int end = min(n, first + 1024);

    __shared__ unsigned bins[64];
    if (t < 64) bins[t] = 0;
    __syncthreads();
    for (int i = first + t; i < end; i += 256) bins[in[i]]++;
    __syncthreads();
    if (t < 64) atomicAdd(&hist[t], bins[t]);
}
