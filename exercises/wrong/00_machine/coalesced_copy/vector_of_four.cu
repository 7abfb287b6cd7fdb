// wrong: four consecutive elements per thread are consecutive enough
// fails: contract
// because: In each of the four instructions the lanes are four floats apart: a warp
// because: touches 16 sectors where 4 would do, and each sector is fetched by four
// because: instructions. Only a float4 reads them in one instruction.

extern "C" __global__ void scale(float *out, const float *in, int n, int per)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int threads = gridDim.x * blockDim.x;
    for (int first = 4 * t; first < n; first += 4 * threads) {
        for (int k = 0; k < 4; k++) {
            if (first + k < n) out[first + k] = 2.0f * in[first + k];
        }
    }
}
