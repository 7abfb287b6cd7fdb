// Lanes go round a loop for different numbers of times and meet behind it.
// expect: none
// launch: 1 32
// args: zeros:128

extern "C" __global__ void ragged_loop_and_syncwarp(int *out)
{
    __shared__ int words[32];
    int t = threadIdx.x, sum = 0;
    for (int i = 0; i <= t; i++)
        sum += i;
    words[t] = sum;
    __syncwarp();
    out[t] = words[31 - t];
}
