// Divergence: lanes of one warp that take different ways, and warps that do.
// run: sides_by_lane "64 threads" 1 64 0 zeros:256
// run: sides_by_warp "64 threads" 1 64 0 zeros:256
// run: eight_sides "8 sides" 1 32 0 zeros:128 i32:8
// run: eight_sides "2 sides" 1 32 0 zeros:128 i32:2
// run: rounds_of_lane "one warp" 1 32 0 zeros:128
// run: rounds_together "one warp" 1 32 0 zeros:128

// ANCHOR: sides
// The two sides: long enough that no compiler takes both and selects.
static __device__ __noinline__ int steps(int value, int count)
{
    for (int round = 0; round < count; round++) value = value * 1664525 + 1013904223;
    return value;
}

// Every second lane takes the other side.
extern "C" __global__ void sides_by_lane(int *out)
{
    int t = threadIdx.x, value;

    if (t % 2 == 0)
        value = steps(t, 10);
    else
        value = steps(-t, 10);
    out[t] = value;
}

// Every second warp takes the other side.
extern "C" __global__ void sides_by_warp(int *out)
{
    int t = threadIdx.x, value;

    if (t / 32 % 2 == 0)
        value = steps(t, 10);
    else
        value = steps(-t, 10);
    out[t] = value;
}
// ANCHOR_END: sides

// ANCHOR: eight
// As many sides as asked for: lane i takes side i % sides.
extern "C" __global__ void eight_sides(int *out, int sides)
{
    int t = threadIdx.x, value = t;

    switch (t % sides) {
    case 0:
        value = steps(t, 11);
        break;
    case 1:
        value = steps(t, 12);
        break;
    case 2:
        value = steps(t, 13);
        break;
    case 3:
        value = steps(t, 14);
        break;
    case 4:
        value = steps(t, 15);
        break;
    case 5:
        value = steps(t, 16);
        break;
    case 6:
        value = steps(t, 17);
        break;
    case 7:
        value = steps(t, 18);
        break;
    }
    out[t] = value;
}
// ANCHOR_END: eight

// ANCHOR: rounds
// Lane i makes i + 1 rounds.
extern "C" __global__ void rounds_of_lane(int *out)
{
    int value = threadIdx.x;

#pragma unroll 1
    for (int round = 0; round <= threadIdx.x; round++)
        value = (value ^ round) * 1664525;
    out[threadIdx.x] = value;
}

// Every lane makes 32 rounds.
extern "C" __global__ void rounds_together(int *out)
{
    int value = threadIdx.x;

#pragma unroll 1
    for (int round = 0; round < 32; round++) value = (value ^ round) * 1664525;
    out[threadIdx.x] = value;
}
// ANCHOR_END: rounds
