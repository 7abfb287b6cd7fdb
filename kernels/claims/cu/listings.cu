// Pieces of published listings that no version of the workbook's problems is: each is
// launched by a row of `claims.toml` and answers that row's question. They follow
// chapter 39 of GPU Gems 3 (Harris, Sengupta, Owens, 2007) in our own code.
// warpbook: arch=compute_80

// The sequential scan of section 39.1.1: `last` is where its loop ends. One thread.
extern "C" __global__ void serial_scan(float *out, const float *in, int last)
{
    float sum = 0.0f;
    out[0] = 0.0f;
    for (int k = 1; k <= last; k++) {
        sum += in[k - 1];
        out[k] = sum;
    }
}

// Blelloch's tree over one tile with any padding: index i moves by (i >> shift) + (i >>
// second). A shift of 31 adds nothing. Launch: one block of n / 2 threads, with shared
// memory for the last index and its padding.
extern "C" __global__ void tree(float *out, const float *in, int n, int shift,
                                int second)
{
    extern __shared__ float temp[];
    int t = threadIdx.x, a = t, b = t + n / 2, offset = 1;

    temp[a + (a >> shift) + (a >> second)] = in[a];
    temp[b + (b >> shift) + (b >> second)] = in[b];
    for (int d = n >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            temp[right + (right >> shift) + (right >> second)] +=
                temp[left + (left >> shift) + (left >> second)];
        }
        offset *= 2;
    }
    if (t == 0) temp[n - 1 + ((n - 1) >> shift) + ((n - 1) >> second)] = 0.0f;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
            left += (left >> shift) + (left >> second);
            right += (right >> shift) + (right >> second);
            float sum = temp[left];
            temp[left] = temp[right];
            temp[right] += sum;
        }
    }
    __syncthreads();
    out[a] = temp[a + (a >> shift) + (a >> second)];
    out[b] = temp[b + (b >> shift) + (b >> second)];
}

// Block A of Listing 39-2: a thread brings two neighbours to shared memory. Blocks
// of 256 threads.
extern "C" __global__ void neighbours(float *out, const float *in)
{
    __shared__ float temp[512];
    int t = threadIdx.x;
    temp[2 * t] = in[2 * t];
    temp[2 * t + 1] = in[2 * t + 1];
    __syncthreads();
    out[t] = temp[511 - t];
}

// Block A of Listing 39-4: a thread brings one element of each half.
extern "C" __global__ void halves(float *out, const float *in)
{
    __shared__ float temp[512];
    int t = threadIdx.x;
    temp[t] = in[t];
    temp[t + 256] = in[t + 256];
    __syncthreads();
    out[t] = temp[511 - t];
}

// Two neighbouring lanes read one word. Blocks of 256 threads.
extern "C" __global__ void shared_words(float *out, const float *in)
{
    __shared__ float temp[256];
    int t = threadIdx.x;
    temp[t] = in[t];
    __syncthreads();
    out[t] = temp[t / 2];
}
