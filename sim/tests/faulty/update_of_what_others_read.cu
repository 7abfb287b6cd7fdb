// The first block reads what the second updates; the second reads it, too, so that it is its own latest reader.
// expect: race any
// launch: 2 1
// args: iota:4 zeros:4

extern "C" __global__ void update_of_what_others_read(int *value, int *copy)
{
    if (blockIdx.x == 0)
        copy[0] = value[0];
    else
        value[0] = value[0] + 1;
}
