// Scan a warp
//
// Each warp writes the exclusive prefix sums of its 32 ints: lane k writes the sum of
// the elements of lanes 0 to k - 1 of its warp, and lane 0 writes 0. Elements beyond n
// count as zero.
//
// Your task: write the rounds, with __shfl_up_sync(0xffffffff, x, d), which gives
// lane k the x of lane k - d (and the lanes below d their own x). No shared memory.
//
// Grade it:     warpbook exercise check warp_scan
// Get a hint:   warpbook exercise hint warp_scan

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;

    int sum = x;  // TODO: the sum of the lanes before this one

    if (i < n) out[i] = sum;
}
