// Four elements at once, aligned.
// expect: none
// launch: 1 32
// args: iota:128 zeros:512

extern "C" __global__ void four_at_once(const int4 *in, int4 *out)
{
    int4 v = in[threadIdx.x];
    out[threadIdx.x] = make_int4(v.w, v.z, v.y, v.x);
}
