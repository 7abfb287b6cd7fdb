// right: every word is filled, with a word more at the end, and threads beyond the end
// right: leave early behind the barrier
extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128 + 1];
    int t = threadIdx.x;
    long long i = (long long)blockIdx.x * 128 + t;
    words[t] = i < n ? in[i] : 0;
    if (t == 127) words[128] = 0;
    __syncthreads();
    if (i >= n) return;
    bool last = t == 127 || i == n - 1;
    int here = words[t];
    int there = words[t + 1];
    out[i] = last ? 0 : there - here;
}
