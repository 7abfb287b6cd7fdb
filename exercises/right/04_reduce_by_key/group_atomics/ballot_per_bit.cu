// right: three ballots, one for each bit of a key, find the peers; the last of them
// right: adds
// warpbook: arch=compute_80

extern "C" __global__ void add_groups(int *sums, const int *keys, const int *values,
                                      int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x & 31;
    const unsigned present = __ballot_sync(~0u, i < n);
    if (i >= n) return;
    const int key = keys[i];
    unsigned peers = present;
#pragma unroll
    for (int bit = 0; bit < 3; bit++) {
        const bool mine = key >> bit & 1;
        const unsigned ones = __ballot_sync(present, mine);
        peers &= mine ? ones : ~ones;
    }
    const int sum = __reduce_add_sync(peers, values[i]);
    if (peers >> lane == 1) atomicAdd(sums + key, sum);
}
