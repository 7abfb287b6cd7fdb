// One warp loads one element per lane, in several ways.
extern "C" __global__ void shifted(float *out, const float *in,
                                   const unsigned char *bytes, int offset)
{
    out[threadIdx.x] = in[threadIdx.x + offset];
}

struct Point {
    float x, y, z, w;
};

extern "C" __global__ void field(float *out, const Point *in,
                                 const unsigned char *bytes, int offset)
{
    out[threadIdx.x] = in[threadIdx.x].x;
}

extern "C" __global__ void small(float *out, const float *in,
                                 const unsigned char *bytes, int offset)
{
    out[threadIdx.x] = bytes[threadIdx.x];
}
