// wrong: a counter in shared memory hands out places
// fails: contract
// because: It hands them out in the order of arrival: 32 lanes on one word, one after
// because: the other, and the order of the elements is a matter of luck. And it needs
// because: to be zero first.

extern "C" __global__ void compact_warp(int *out, int *counts, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int lane = threadIdx.x % 32;
    int x = i < n ? in[i] : 0;
    bool keep = x > 0;

    __shared__ int counters[2];
    int *counter = counters + threadIdx.x / 32;
    if (lane == 0) *counter = 0;
    __syncwarp();
    int place = keep ? atomicAdd(counter, 1) : 0;
    __syncwarp();
    int kept = *counter;

    if (keep) out[i - lane + place] = x;
    if (lane == 0 && i < n) counts[i / 32] = kept;
}
