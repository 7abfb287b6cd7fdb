// Global memory and its sectors: one warp reads words that are a distance apart, or
// begin at an odd place.
// run: read_apart "every word" 1 32 0 zeros:128 iota:1024 i32:1
// run: read_apart "every second word" 1 32 0 zeros:128 iota:1024 i32:2
// run: read_apart "every eighth word" 1 32 0 zeros:128 iota:1024 i32:8
// run: read_apart "every sixteenth word" 1 32 0 zeros:128 iota:1024 i32:16
// run: read_from "from word 0" 1 32 0 zeros:128 iota:1024 i32:0
// run: read_from "from word 1" 1 32 0 zeros:128 iota:1024 i32:1
// run: read_from "from word 8" 1 32 0 zeros:128 iota:1024 i32:8
// run: points_together "32 points" 1 32 0 zeros:128 iota:96
// run: points_apart "32 points" 1 32 0 zeros:128 iota:32 iota:32 iota:32
// run: read_backwards "one warp" 1 32 0 zeros:128 iota:32

// ANCHOR: apart
// Lane i reads word i * distance.
extern "C" __global__ void read_apart(int *out, const int *in, int distance)
{
    out[threadIdx.x] = in[threadIdx.x * distance];
}
// ANCHOR_END: apart

// ANCHOR: from
// Lane i reads the word i places after the first.
extern "C" __global__ void read_from(int *out, const int *in, int first)
{
    out[threadIdx.x] = in[first + threadIdx.x];
}
// ANCHOR_END: from

// ANCHOR: backwards
// Lane i reads word 31 - i.
extern "C" __global__ void read_backwards(int *out, const int *in)
{
    out[threadIdx.x] = in[31 - threadIdx.x];
}
// ANCHOR_END: backwards

// ANCHOR: points
struct point {
    int x, y, z;
};

// An array of points: the three numbers of a point lie side by side.
extern "C" __global__ void points_together(int *out, const point *in)
{
    point p = in[threadIdx.x];

    out[threadIdx.x] = p.x + p.y + p.z;
}

// Three arrays: all x lie side by side, then all y, then all z.
extern "C" __global__ void points_apart(int *out, const int *x, const int *y,
                                        const int *z)
{
    int i = threadIdx.x;

    out[i] = x[i] + y[i] + z[i];
}
// ANCHOR_END: points
