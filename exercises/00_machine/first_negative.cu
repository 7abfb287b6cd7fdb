// Who is the first?
//
// Warp w of the grid has the elements 32 * w to 32 * w + 31. It writes to out[w] the
// number, from 0 to 31, of its first lane with a negative element, or -1 if there is
// none. Elements beyond n do not exist.
//
// Your task: find that lane with one vote. No shared memory, no atomics, no loop.
//
// Grade it:     warpbook exercise check first_negative
// Get a hint:   warpbook exercise hint first_negative

extern "C" __global__ void first_negative(int *out, const int *in, int n)
{
    int i = blockIdx.x * 64 + threadIdx.x;
    int first = i < n && in[i] < 0 ? 0 : -1;  // TODO: this looks at lane 0 only
    if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = first;
}
