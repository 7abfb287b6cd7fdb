// A sibling: an array is reversed in pieces of 64, all with the same buffer.
//
// Fill the buffer; wait, since thread t reads what thread 63 - t has filled in; read.
// Then the next piece is filled into the same words. Warp 0 may be that far while
// warp 1 still reads the piece before: so all wait once more. With two buffers that
// alternate, the second barrier could be left out: the one of the next piece would be
// in time.
extern "C" __global__ void reverse_pieces(int *out, const int *in, int pieces)
{
    __shared__ int words[64];
    int t = threadIdx.x;
    for (int piece = 0; piece < pieces; piece++) {
        words[t] = in[64 * piece + t];
        __syncthreads();
        out[64 * piece + t] = words[63 - t];
        __syncthreads();
    }
}
