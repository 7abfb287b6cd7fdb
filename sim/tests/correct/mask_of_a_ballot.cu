// The lanes that take a branch find each other with a ballot before it.
// expect: none
// launch: 1 32
// args: zeros:128

extern "C" __global__ void mask_of_a_ballot(int *out)
{
    int t = threadIdx.x;
    unsigned mask = __ballot_sync(0xffffffff, t % 3 == 0);
    int value = t;
    if (t % 3 == 0)
        value = __reduce_add_sync(mask, t);
    out[t] = value;
}
