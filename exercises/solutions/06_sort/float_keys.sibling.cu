// A sibling: other signed numbers as unsigned ones in the same order.
//
// Ints: -1 is 0xffffffff, 0 is 0, 1 is 1. All negative ones are above the others, but
// in order among themselves: inverting the sign bit is all it takes. A sign and an
// amount of 7 bits: -2 is 10000010, -1 is 10000001, 0 is
// 00000000. The negative ones are the wrong way round as well: all of their bits have
// to be inverted, -2 becomes 01111101 and -1 becomes 01111110, and both stay below 0,
// which becomes 10000000.
extern "C" __global__ void in_order(unsigned *of_int, unsigned char *of_amount,
                                    const int *ints, const unsigned char *amounts)
{
    int i = threadIdx.x;
    of_int[i] = unsigned(ints[i]) ^ 0x80000000;
    of_amount[i] = amounts[i] & 0x80 ? ~amounts[i] : amounts[i] + 0x80;
}
