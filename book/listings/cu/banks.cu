// Shared memory and its banks: one warp reads words that are a distance apart, or one
// word together.
// run: stride_read "stride 1" 1 32 4096 zeros:128 i32:1
// run: stride_read "stride 2" 1 32 4096 zeros:128 i32:2
// run: stride_read "stride 3" 1 32 4096 zeros:128 i32:3
// run: stride_read "stride 8" 1 32 4096 zeros:128 i32:8
// run: stride_read "stride 32" 1 32 4096 zeros:128 i32:32
// run: stride_read "stride 33" 1 32 4352 zeros:128 i32:33
// run: same_word "one warp" 1 32 0 zeros:128
// run: column_read "rows of 32" 1 32 0 zeros:128
// run: column_padded "rows of 33" 1 32 0 zeros:128

// ANCHOR: stride
// Lane i reads word i * stride.
extern "C" __global__ void stride_read(int *out, int stride)
{
    extern __shared__ int words[];

    words[threadIdx.x * stride] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = words[threadIdx.x * stride];
}
// ANCHOR_END: stride

// ANCHOR: same
// Every lane reads the word that lane 5 wrote.
extern "C" __global__ void same_word(int *out)
{
    __shared__ int words[32];

    words[threadIdx.x] = threadIdx.x;
    __syncwarp();
    out[threadIdx.x] = words[5];
}
// ANCHOR_END: same

// ANCHOR: column
// Lane i reads row i of column 3 of a tile.
extern "C" __global__ void column_read(int *out)
{
    __shared__ int tile[32][32];

    for (int row = 0; row < 32; row++) tile[row][threadIdx.x] = row;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x][3];
}
// ANCHOR_END: column

// ANCHOR: padded
// The same with rows of 33 words, of which the last is never used.
extern "C" __global__ void column_padded(int *out)
{
    __shared__ int tile[32][33];

    for (int row = 0; row < 32; row++) tile[row][threadIdx.x] = row;
    __syncwarp();
    out[threadIdx.x] = tile[threadIdx.x][3];
}
// ANCHOR_END: padded
