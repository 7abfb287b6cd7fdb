// A scan in place that lacks the barrier between reading and writing.
// expect: race
// launch: 1 64
// args: iota:64

extern "C" __global__ void scan_in_global_memory(int *a)
{
    int t = threadIdx.x;
    for (int d = 1; d < 64; d *= 2) {
        int left = t >= d ? a[t - d] : 0; //~ any
        // __syncthreads() is missing
        a[t] += left; //~ any
        __syncthreads();
    }
}
