// A sibling: the largest value of each of 16 classes. `largest` holds zeros before, and
// values are positive.
//
// Step 1: 16 threads clear the block's table. All wait, because a thread may have any
// class. Step 2: every thread compares its element in the table, with an atomic, since
// others may do so at the same time. All wait again. Step 3: 16 threads compare the
// block's results with those of the other blocks: 16 atomics in global memory per
// block, instead of one per element.
extern "C" __global__ void largest_by_class(int *largest, const int *classes,
                                            const int *values, int n)
{
    __shared__ int table[16];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    if (t < 16) table[t] = 0;
    __syncthreads();
    if (i < n) atomicMax(&table[classes[i]], values[i]);
    __syncthreads();
    if (t < 16) atomicMax(&largest[t], table[t]);
}
