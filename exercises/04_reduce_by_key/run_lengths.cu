// Runs and their lengths
//
// One warp has n elements, from 1 to 32. For each run of equal neighbours it writes the
// element and the run's length, side by side: 5 5 5 2 5 5 becomes keys 5 2 5 and
// lengths 3 1 2. What is behind them in the two arrays stays as it is.
//
// Your task: find the lanes where a run begins, and let each of them write for its
// run.
//
// Grade it:     warpbook exercise check run_lengths
// Get a hint:   warpbook exercise hint run_lengths

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    int key = lane < n ? in[lane] : 0;
    int left = __shfl_up_sync(0xffffffff, key, 1);
    // TODO: where do runs begin, the how-manieth is mine, and how long is it?
    if (lane < n && left != key) keys[lane] = key, lengths[lane] = 1;
}
