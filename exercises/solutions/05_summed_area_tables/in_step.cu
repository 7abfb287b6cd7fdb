// Lanes in lock step
//
// Each warp scans a row of 32 floats in shared memory. To the left of each row are 16
// zeros, so that no lane has to ask whether it has a neighbour at distance 1, 2, 4, 8
// or 16.
//
// STARTER
//- // This follows an article of 2012, which trusts that the lanes of a warp run in
//- // step. Your task: make it right for today's GPUs, where they need not, without a
//- // barrier of the whole block.
// SOLUTION
// A round reads, meets, writes and meets: within the warp.
// END
//
// Grade it:     warpbook exercise check in_step
// Get a hint:   warpbook exercise hint in_step

extern "C" __global__ void scan_rows(float *table, const float *image, int h)
{
    __shared__ float rows[4][16 + 32];
    int lane = threadIdx.x, y = blockIdx.x * 4 + threadIdx.y;
    if (y >= h) return;
    float *own = &rows[threadIdx.y][16 + lane];

    float sum = image[32 * y + lane];
    if (lane < 16) own[-16] = 0.0f;
    *own = sum;
    // STARTER
    //- for (int distance = 1; distance < 32; distance *= 2) {
    //-     sum += own[-distance];
    //-     *own = sum;
    //- }
    // SOLUTION
    __syncwarp();
    for (int distance = 1; distance < 32; distance *= 2) {
        sum += own[-distance];
        __syncwarp();
        *own = sum;
        __syncwarp();
    }
    // END
    table[32 * y + lane] = sum;
}
