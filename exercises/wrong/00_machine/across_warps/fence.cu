// wrong: a fence makes the others' numbers visible
// fails: findings, result, contract
// because: A fence orders what this thread does. It does not wait for another thread
// because: that has not stored yet.

extern "C" __global__ void differences(int *out, const int *in, int n)
{
    __shared__ int words[128];
    int t = threadIdx.x;
    int i = blockIdx.x * 128 + t;
    if (i < n) words[t] = in[i];
    __threadfence_block();
    int next = 0;
    if (t < 127 && i + 1 < n) next = words[t + 1] - words[t];
    if (i < n) out[i] = next;
}
