// A sibling: the odd ones of a warp's 32 numbers go to the back, in order, and the even
// ones stay away.
//
// All lanes vote. The odd number of lane k has as many odd ones behind it as there are
// ones above bit k; the last one goes to place 31. The bits above lane k are what is
// left when k + 1 bits are shifted out: in two steps, because a shift by 32 is not
// defined.
extern "C" __global__ void odd_to_the_back(int *out, const int *in)
{
    int lane = threadIdx.x;
    int x = in[lane];
    unsigned votes = __ballot_sync(0xffffffff, x % 2 != 0);
    int behind = __popc(votes >> lane >> 1);
    if (x % 2 != 0) out[31 - behind] = x;
}
