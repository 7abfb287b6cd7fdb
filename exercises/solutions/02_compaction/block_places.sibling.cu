// A sibling: the words of a text of 128 letters are numbered. out[i] is the number of
// the word that letter i is in, or of the next one, if it is a blank.
//
// A word begins where a letter follows a blank. Each warp finds its beginnings with one
// ballot: a vote per letter, a bit per vote. The number of beginnings before a letter,
// in its own warp, are the ones below its bit. Each warp puts its total down, all wait
// once, and each thread adds the totals of the warps before its own: three at most, and
// all lanes read the same one.
extern "C" __global__ void number_words(int *out, const char *text)
{
    __shared__ int totals[4];
    int t = threadIdx.x;
    bool begins = text[t] != ' ' && (t == 0 || text[t - 1] == ' ');
    unsigned votes = __ballot_sync(0xffffffff, begins);
    if (t % 32 == 0) totals[t / 32] = __popc(votes);
    __syncthreads();
    int before = __popc(votes & ((1u << t % 32) - 1));
    for (int warp = 0; warp < t / 32; warp++) before += totals[warp];
    out[t] = before + begins - (text[t] != ' ');
}
