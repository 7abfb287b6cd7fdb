// wrong: only lanes that add need to shuffle
// fails: findings, result
// because: The mask names all 32 lanes. A lane that stays away is waited for, or gives
// because: nothing to the lane that needs its number.

extern "C" __global__ void warp_scan(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int x = i < n ? in[i] : 0;

    int lane = threadIdx.x % 32;
    int sum = x;
    for (int d = 1; d < 32; d *= 2) {
        if (lane >= d) sum += __shfl_up_sync(0xffffffff, sum, d);
    }
    sum -= x;

    if (i < n) out[i] = sum;
}
