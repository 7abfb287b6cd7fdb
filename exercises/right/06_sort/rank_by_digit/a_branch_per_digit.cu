// right: four votes one after the other, and a branch for each digit

extern "C" __global__ void sort_by_digit(unsigned *out, const unsigned *in, int warps,
                                         int shift)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    if ((i >> 5) >= warps) return;
    unsigned key = __ldg(in + i), digit = (key >> shift) & 3;
    unsigned below = (1u << lane) - 1;
    unsigned zeros = __ballot_sync(0xffffffff, digit == 0);
    unsigned ones = __ballot_sync(0xffffffff, digit == 1);
    unsigned twos = __ballot_sync(0xffffffff, digit == 2);
    unsigned threes = __ballot_sync(0xffffffff, digit == 3);
    int place;
    if (digit == 0)
        place = __popc(zeros & below);
    else if (digit == 1)
        place = __popc(zeros) + __popc(ones & below);
    else if (digit == 2)
        place = __popc(zeros) + __popc(ones) + __popc(twos & below);
    else
        place = 32 - __popc(threes) + __popc(threes & below);
    out[i - lane + place] = key;
}
