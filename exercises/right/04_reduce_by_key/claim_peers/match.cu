// right: one match over the present lanes takes the place of the loop, and the last
// right: peer adds
// warpbook: arch=compute_80

extern "C" __global__ void add_by_peers(int *sums, const int *keys, const int *values,
                                        int n)
{
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned present = __ballot_sync(0xffffffff, i < n);
    if (i < n) {
        const int key = keys[i], value = values[i];
        const unsigned peers = __match_any_sync(present, key);
        const int sum = __reduce_add_sync(peers, value);
        if (threadIdx.x % 32 == 31 - __clz(peers)) atomicAdd(sums + key, sum);
    }
}
