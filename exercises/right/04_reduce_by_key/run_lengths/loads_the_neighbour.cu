// right: loads the element before its own instead of shuffling it, and shifts masks
// right: of 64 bits

extern "C" __global__ void encode(int *keys, int *lengths, const int *in, int n)
{
    int lane = threadIdx.x;
    bool head = false;
    int key = 0;
    if (lane < n) {
        key = in[lane];
        head = lane == 0 || in[lane - 1] != key;
    }
    // A head behind the last element ends the last run.
    unsigned long long heads = __ballot_sync(0xffffffff, head);
    heads |= 1ull << n;
    if (head) {
        int run = __popcll(heads & ((1ull << lane) - 1));
        int length = __ffsll(heads >> (lane + 1));
        keys[run] = key;
        lengths[run] = length;
    }
}
