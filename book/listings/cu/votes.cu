// Atomics, votes and shuffles: lanes that update one address, and lanes that
// communicate without memory.
// run: count_one "32 threads, one address" 1 32 0 zeros:4
// run: count_found "all to one bin" 1 32 0 zeros:128 ints:32:0
// run: count_found "four bins" 1 32 0 zeros:128 ints:32:i%4
// run: count_found "32 bins" 1 32 0 zeros:128 ints:32:i
// run: count_shared "all to one bin" 1 32 0 zeros:128 ints:32:0
// run: count_shared "four bins" 1 32 0 zeros:128 ints:32:i%4
// run: count_shared "32 bins" 1 32 0 zeros:128 ints:32:i
// run: add_shared "all to one bin" 1 32 0 zeros:128 ints:32:0
// run: add_shared "four bins" 1 32 0 zeros:128 ints:32:i%4
// run: add_shared "32 bins" 1 32 0 zeros:128 ints:32:i
// run: sum_shuffle "32 numbers" 1 32 0 zeros:4 iota:32
// run: sum_shared "32 numbers" 1 32 0 zeros:4 iota:32
// run: keep_odd "0 to 31" 1 32 0 zeros:128 iota:32

// ANCHOR: one
// Every lane adds to the same counter.
extern "C" __global__ void count_one(int *counter) { atomicAdd(counter, 1); }
// ANCHOR_END: one

// ANCHOR: found
// Every lane adds to the counter that its datum names.
extern "C" __global__ void count_found(int *bins, const int *data)
{
    atomicAdd(&bins[data[threadIdx.x]], 1);
}
// ANCHOR_END: found

// ANCHOR: shared
// The same in shared memory.
extern "C" __global__ void count_shared(int *out, const int *data)
{
    __shared__ int bins[32];
    int t = threadIdx.x;

    bins[t] = 0;
    __syncwarp();
    atomicAdd(&bins[data[t]], 1);
    __syncwarp();
    out[t] = bins[t];
}

// Adding the datum instead of one.
extern "C" __global__ void add_shared(int *out, const int *data)
{
    __shared__ int bins[32];
    int t = threadIdx.x;

    bins[t] = 0;
    __syncwarp();
    atomicAdd(&bins[data[t]], data[t] + 1);
    __syncwarp();
    out[t] = bins[t];
}
// ANCHOR_END: shared

// ANCHOR: sums
// Five shuffles: after each, every lane holds the sum of twice as many.
extern "C" __global__ void sum_shuffle(int *out, const int *in)
{
    int sum = in[threadIdx.x];

    for (int apart = 16; apart > 0; apart /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, apart);
    if (threadIdx.x == 0) *out = sum;
}

// The same through shared memory.
extern "C" __global__ void sum_shared(int *out, const int *in)
{
    __shared__ int sums[32];
    int t = threadIdx.x;

    sums[t] = in[t];
    for (int apart = 16; apart > 0; apart /= 2) {
        __syncwarp();
        int other = sums[t ^ apart];
        __syncwarp();
        sums[t] += other;
    }
    __syncwarp();
    if (t == 0) *out = sums[0];
}
// ANCHOR_END: sums

// ANCHOR: keep
// Keeps the odd numbers, side by side and in order: a vote tells every lane its place.
extern "C" __global__ void keep_odd(int *out, const int *in)
{
    int t = threadIdx.x, value = in[t];
    unsigned odd = __ballot_sync(0xffffffff, value % 2 == 1);
    int place = __popc(odd & ((1u << t) - 1));

    if (value % 2 == 1) out[place] = value;
}
// ANCHOR_END: keep
