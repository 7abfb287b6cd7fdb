// wrong: one lane can look through 32 elements
// fails: contract
// because: Lane 0 then loads up to 32 times, one element each, while 31 lanes wait.

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int first = -1;
    if (threadIdx.x % 32 == 0) {
        for (int lane = 31; lane >= 0; lane--) {
            if (i + lane < n && in[i + lane] < 0) first = lane;
        }
    }
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
