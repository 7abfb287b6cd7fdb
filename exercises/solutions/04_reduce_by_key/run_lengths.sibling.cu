// A sibling: the gaps between the ones of a word.
//
// In 01100100 (bit 0 is on the right) bit 2 is one number 0, bit 5 number 1, bit 6
// number 2. From bit 2 to the next one are 3 bits: bits above lane 2 are 0xfffffffe <<
// 2, and the lowest one among them is __ffs(...) - 1 = 5. Behind the last one there is
// none, and __ffs gives 0.
extern "C" __global__ void gaps(int *gap, unsigned word)
{
    int lane = threadIdx.x;
    unsigned above = word & (0xfffffffe << lane);
    int next = above ? __ffs(above) - 1 : 32;
    int number = __popc(word & ((1u << lane) - 1));
    if (word >> lane & 1) gap[number] = next - lane;
}
