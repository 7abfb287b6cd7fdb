// right: scans the flags by shuffles instead of counting votes, and reads the total off
// right: the inclusive scan

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int zeros_up_to[64], of_warp[2];
    int t = threadIdx.x, lane = t % warpSize;
    unsigned key = t < n ? in[t] : 0;
    int zero = t < n && !(key >> bit & 1);

    int count = zero;
    for (int distance = 1; distance < warpSize; distance *= 2) {
        int left = __shfl_up_sync(0xffffffff, count, distance);
        if (lane >= distance) count += left;
    }
    if (lane == warpSize - 1) of_warp[t / warpSize] = count;
    __syncthreads();
    if (t >= warpSize) count += of_warp[0];
    zeros_up_to[t] = count;
    __syncthreads();

    int zeros = zeros_up_to[n - 1];
    int before = count - zero;
    if (t < n) out[zero ? before : zeros + t - before] = key;
}
