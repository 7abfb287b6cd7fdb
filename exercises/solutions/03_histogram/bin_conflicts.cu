// One warp counts 32 values in 256 bins.
extern "C" __global__ void count(unsigned *hist, const unsigned *in)
{
    __shared__ unsigned bins[256];
    int lane = threadIdx.x;
    for (int bin = lane; bin < 256; bin += 32) bins[bin] = 0;
    __syncwarp();
    unsigned value = in[lane];
    atomicAdd(&bins[value], 1u);
    __syncwarp();
    for (int bin = lane; bin < 256; bin += 32) hist[bin] = bins[bin];
}
