// right: one instruction adds up the ints of a warp, as the explanation says
// warpbook: arch=compute_80
extern "C" __global__ void shuffle_sum(int *out, const int *in, int n)
{
    __shared__ int of_warp[8];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int sum = __reduce_add_sync(0xffffffff, i < n ? in[i] : 0);
    if (t % 32 == 0) of_warp[t / 32] = sum;
    __syncthreads();
    if (t < 32) {
        sum = __reduce_add_sync(0xffffffff, t < 8 ? of_warp[t] : 0);
        if (t == 0) out[blockIdx.x] = sum;
    }
}
