// wrong: the sum up to a lane is the sum before it
// fails: result
// because: The sum of lanes 0 to k has the own element in it. The exclusive one is
// because: without.

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;

    int lane = threadIdx.x % 32;
    int sum = x;
    for (int d = 1; d < 32; d *= 2) {
        int before = __shfl_up_sync(0xffffffff, sum, d);
        if (lane >= d) sum += before;
    }

    if (i < n) out[i] = sum;
}
