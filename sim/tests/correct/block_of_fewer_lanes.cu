// A block of 20 threads with a full mask: lanes that were never there are not missed, and nobody reads from them.
// expect: none
// launch: 1 20
// args: zeros:80

extern "C" __global__ void block_of_fewer_lanes(int *out)
{
    int t = threadIdx.x;
    int first = __shfl_sync(0xffffffff, t + 5, 0);
    int left = __shfl_up_sync(0xffffffff, t, 1);
    out[t] = first + left + __popc(__ballot_sync(0xffffffff, t & 1));
}
