// A sibling: numbers are doubled, four by a thread.
//
// The pointer's type says how much one instruction moves: through a `float4 *` it is 16
// bytes, one load and one store, where four pointers to float would make four of each.
// It has to point to a multiple of 16 bytes.
extern "C" __global__ void twice(float4 *out, const float4 *in, int quarters)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= quarters) return;
    float4 four = in[i];
    out[i] = make_float4(2 * four.x, 2 * four.y, 2 * four.z, 2 * four.w);
}
