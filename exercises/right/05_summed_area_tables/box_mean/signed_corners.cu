// right: a loop over the four corners with their signs

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    int right = min(x + r, w - 1), bottom = min(y + r, h - 1);
    int sum = 0;
    for (int corner = 0; corner < 4; corner++) {
        int column = corner % 2 == 0 ? right : x - r - 1;
        int row = corner / 2 == 0 ? bottom : y - r - 1;
        if (column < 0 || row < 0) continue;
        int there = table[row * w + column];
        sum += corner == 1 || corner == 2 ? -there : there;
    }
    sums[y * w + x] = sum;
}
