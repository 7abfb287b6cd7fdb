// Three layouts of 32 histograms with one byte per bin. Each lane counts one value, and
// tells its count.
extern "C" __global__ void rows(unsigned *counts, const unsigned *in)
{
    __shared__ unsigned words[2048];
    unsigned char *bins = (unsigned char *)words;
    int lane = threadIdx.x;
    for (int i = lane; i < 2048; i += 32) words[i] = 0;
    __syncwarp();
    unsigned value = in[lane];
    unsigned char count = bins[256 * lane + value];  // rows
    bins[256 * lane + value] = count + 1;
    counts[lane] = count + 1;
}

extern "C" __global__ void columns(unsigned *counts, const unsigned *in)
{
    __shared__ unsigned words[2048];
    unsigned char *bins = (unsigned char *)words;
    int lane = threadIdx.x;
    for (int i = lane; i < 2048; i += 32) words[i] = 0;
    __syncwarp();
    unsigned value = in[lane];
    unsigned char count = bins[32 * value + lane];  // columns
    bins[32 * value + lane] = count + 1;
    counts[lane] = count + 1;
}

extern "C" __global__ void packed(unsigned *counts, const unsigned *in)
{
    __shared__ unsigned words[2048];
    int lane = threadIdx.x;
    for (int i = lane; i < 2048; i += 32) words[i] = 0;
    __syncwarp();
    unsigned value = in[lane];
    unsigned word = words[32 * (value / 4) + lane];  // packed
    word += 1u << 8 * (value % 4);
    words[32 * (value / 4) + lane] = word;
    counts[lane] = word >> 8 * (value % 4) & 255;
}
