// wrong: every round fetches the element of the lane d before
// fails: result
// because: In round 2 the sum of the lane two before is needed, which is of two
// because: elements. With the elements only, five of 31 are added.

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;

    int lane = threadIdx.x % 32;
    int sum = x;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, x, d);
        if (lane >= d) sum += before;
    }
    sum -= x;

    if (i < n) out[i] = sum;
}
