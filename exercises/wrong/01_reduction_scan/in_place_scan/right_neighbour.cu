// wrong: adding the right neighbour is the same sum
// fails: result
// because: The sum of an element and those before it needs the element `offset` before.
// because: With t + offset, sums run from the wrong end.

extern "C" __global__ void scan_in_place(int *out, const int *in, int n)
{
    __shared__ int temp[256];
    int t = threadIdx.x;
    int i = blockIdx.x * 256 + t;
    temp[t] = i < n ? in[i] : 0;
    __syncthreads();

    for (int offset = 1; offset < 256; offset *= 2) {
        int left = t + offset < 256 ? temp[t + offset] : 0;
        __syncthreads();
        temp[t] += left;
        __syncthreads();
    }

    if (i < n) out[i] = temp[t];
}
