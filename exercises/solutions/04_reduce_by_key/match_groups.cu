// Lanes with the same key find each other.
extern "C" __global__ void find_peers(unsigned *rank, unsigned *mask, unsigned *groups)
{
    unsigned lane = threadIdx.x;
    unsigned key = lane * lane % 7;
    unsigned peers = __match_any_sync(0xffffffff, key);
    unsigned below = peers & ((1u << lane) - 1);
    rank[lane] = __popc(below);
    mask[lane] = peers;
    if (below == 0) groups[key] = __popc(peers);
}
