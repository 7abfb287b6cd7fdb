// wrong: a warp that counts the other's keys needs nothing from it
// fails: contract
// because: Every key is loaded twice. The warps tell each other their totals instead.

extern "C" __global__ void split(unsigned *out, const unsigned *in, int n, int bit)
{
    int t = threadIdx.x, lane = t % 32, other = t ^ 32;
    unsigned key = t < n ? in[t] : 0;
    unsigned theirs = other < n ? in[other] : 0;
    bool zero = t < n && !(key >> bit & 1);
    unsigned votes = __ballot_sync(0xffffffff, zero);
    unsigned others = __ballot_sync(0xffffffff, other < n && !(theirs >> bit & 1));
    __syncthreads();
    int place = __popc(votes & ((1u << lane) - 1)) + (t < 32 ? 0 : __popc(others));
    int zeros = __popc(votes) + __popc(others);
    if (t < n) out[zero ? place : zeros + t - place] = key;
}
