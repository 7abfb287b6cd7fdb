// One warp fills shared memory and then reads every `stride`-th word of it.
extern "C" __global__ void strided(float *out, const float *in, int stride)
{
    extern __shared__ float words[];
    int lane = threadIdx.x;
    for (int i = lane; i < 32 * stride; i += 32) {
        words[i] = in[i];
    }
    __syncwarp();
    out[lane] = words[stride * lane];
}
