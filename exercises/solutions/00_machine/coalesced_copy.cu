// Neighbours read neighbours
//
// `scale` doubles n floats with a few threads, so that each of them takes several
// elements.
//
// STARTER
//- // As it is, thread t takes the `per` elements from t * per on. The result is right,
//- // and a warp reads its 32 floats from 32 different sectors. Your task: let each
//- // thread take the same number of elements, but other ones, so that every sector of
//- // `in` and `out` is read or written once. The number of threads stays as it is.
// SOLUTION
// Thread t takes the elements t, t + threads, t + 2 * threads, ...: in every round the
// lanes of a warp take 32 consecutive floats.
// END
//
// Grade it:     warpbook exercise check coalesced_copy
// Get a hint:   warpbook exercise hint coalesced_copy

extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    // STARTER
    //- for (int k = 0; k < per; k++) {
    //-     int i = t * per + k;
    //-     if (i < n) out[i] = 2.0f * in[i];
    //- }
    // SOLUTION
    int threads = gridDim.x * blockDim.x;
    for (int i = t; i < n; i += threads) {
        out[i] = 2.0f * in[i];
    }
    // END
}
