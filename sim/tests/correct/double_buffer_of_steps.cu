// Two buffers that are exchanged in every step need one barrier a step.
// expect: none
// launch: 1 64
// args: zeros:256

extern "C" __global__ void double_buffer_of_steps(int *out)
{
    __shared__ int buffer[2][64];
    int t = threadIdx.x, value = t;
    for (int step = 0; step < 5; step++) {
        int now = step & 1;
        buffer[now][t] = value;
        __syncthreads();
        value += buffer[now][63 - t];
    }
    out[t] = value;
}
