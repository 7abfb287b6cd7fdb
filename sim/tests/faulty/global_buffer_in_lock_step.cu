// Lanes of a warp exchange values through global memory, trusting in lock step.
// expect: race
// launch: 2 64
// args: zeros:512 zeros:512

extern "C" __global__ void global_buffer_in_lock_step(int *buffer, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    buffer[i] = i; //~ party
    out[i] = buffer[i ^ 1]; //~ race
}
