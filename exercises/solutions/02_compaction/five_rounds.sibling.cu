// A sibling: exclusive sums of 32 numbers from 0 to 8, one per lane, by ballots.
//
// There are nine values, 0 to 8, and 8 is 1000 in binary: 4 bits, four rounds. Round 0:
// lanes with an odd number vote yes, and every lane counts 1 for each of them that is
// below it. Round 1: those with a 2 in their number, which count 2. And so on. With
// three rounds the sums would be right for numbers up to 7, and an 8 would count as
// nothing.
extern "C" __global__ void sums(int *out, const int *in)
{
    int lane = threadIdx.x;
    int number = in[lane];
    int sum = 0;
    for (int bit = 0; bit < 4; bit++) {
        unsigned ones = __ballot_sync(0xffffffff, number >> bit & 1);
        sum += __popc(ones & ((1u << lane) - 1)) << bit;
    }
    out[lane] = sum;
}
