// Two buffers that are never exchanged are one buffer.
// expect: race
// launch: 1 64
// args: zeros:256

extern "C" __global__ void double_buffer_with_one_parity(int *out)
{
    __shared__ int buffer[2][64];
    int t = threadIdx.x, value = t;
    for (int step = 0; step < 4; step++) {
        int now = step & 2; // should be 1
        buffer[now / 2][t] = value; //~ any
        __syncthreads();
        value += buffer[now / 2][63 - t]; //~ any
    }
    out[t] = value;
}
