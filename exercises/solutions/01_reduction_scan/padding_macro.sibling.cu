// A transpose through shared memory, padded.
//
// The tile is kept row by row. A warp stores one row, 32 consecutive words on 32 banks;
// then it loads one column, words that are 32 apart. Unpadded, all 32 lie in
// bank 32 * r % 32 + c = c: 32 wavefronts.
//
// One unused word after every 32 moves row r by r words: lane r reads word 33 * r + c,
// in bank (r + c) % 32. 32 lanes, 32 banks, 1 wavefront. The shift is 5
// because 2^5 = 32 banks; the brackets are there because + binds tighter than >>.
#define PADDED(n) ((n) + ((n) >> 5))

extern "C" __global__ void transpose(float *out, const float *in)
{
    __shared__ float tile[PADDED(1023) + 1];
    int x = threadIdx.x;
    int y = threadIdx.y;
    tile[PADDED(32 * y + x)] = in[32 * y + x];
    __syncthreads();
    out[32 * y + x] = tile[PADDED(32 * x + y)];
}
