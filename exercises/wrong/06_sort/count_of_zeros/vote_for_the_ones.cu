// wrong: a second vote tells which keys have a 1, and where they stand among these
// fails: contract
// because: A key with a 1 has as many ones before it as it has keys before it, less the
// because: zeros. The zeros are known.

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    __shared__ int zeros_of[2], ones_of[2];
    __shared__ unsigned chunk[64];
    int t = threadIdx.x, lane = t % 32;
    if (t < n) chunk[t] = in[t];
    bool zero = t < n && !(chunk[t] >> bit & 1);
    unsigned zeros = __ballot_sync(0xffffffff, zero);
    unsigned ones = __ballot_sync(0xffffffff, t < n && !zero);
    if (lane == 0) {
        zeros_of[t / 32] = __popc(zeros);
        ones_of[t / 32] = __popc(ones);
    }
    __syncthreads();
    unsigned before = (1u << lane) - 1;
    int place = __popc((zero ? zeros : ones) & before);
    if (t >= 32) place += zero ? zeros_of[0] : ones_of[0];
    if (!zero) place += zeros_of[0] + zeros_of[1];
    if (t < n) out[place] = chunk[t];
}
