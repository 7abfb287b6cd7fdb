// Each lane walks its own part of a binary tree that lies in an array, with an array of its own in every call.
// expect: none
// launch: 2 32
// args: zeros:256 iota:128

__device__ __noinline__ void add_up(const int *tree, int at, int *sum)
{
    int own[2] = {0, 0};
    if (at < 16) {
        add_up(tree, 2 * at, &own[0]);
        add_up(tree, 2 * at + 1, &own[1]);
    }
    sum[0] += own[0] + own[1] + tree[at];
}

extern "C" __global__ void recursion_over_a_tree(int *sums, const int *tree)
{
    int sum = 0;
    add_up(tree, 1 + threadIdx.x % 7, &sum);
    sums[blockIdx.x * 32 + threadIdx.x] = sum;
}
