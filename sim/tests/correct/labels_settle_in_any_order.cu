// Threads lower the labels of their neighbours until nothing changes. Which labels they see on the way is luck, and
// volatile says that the program knows it. That nothing orders them is a remark.
// expect: remark
// launch: 2 64
// args: iota:128

extern "C" __global__ void labels_settle_in_any_order(volatile unsigned *label)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int step = 0; step < 8; step++) {
        unsigned left = label[(i + 127) % 128]; //~ any
        if (left < label[i])
            label[i] = left; //~ any
    }
}
