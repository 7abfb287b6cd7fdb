// The listing that adds to nothing
//
// Each block makes the prefix sums of 256 ints with two buffers: in every round all
// threads read one half of `temp` and write the other, and then the halves change their
// roles. So one barrier per round is enough.
//
// As it is, and as it was once printed, the round adds to the wrong half. Your
// task: repair the line. One barrier per round stays.
//
// Grade it:     warpbook exercise check listing_scan
// Get a hint:   warpbook exercise hint listing_scan

extern "C" __global__ void scan_buffers(int *out, const int *in, int n)
{
    __shared__ int temp[2 * 256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    int from = 256, to = 0;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int half = from;
        from = to;
        to = half;
        // TODO: which half does += read?
        if (t >= offset)
            temp[to + t] += temp[from + t - offset];
        else
            temp[to + t] = temp[from + t];
        __syncthreads();
    }

    if (i < n) out[i] = temp[to + t];
}
