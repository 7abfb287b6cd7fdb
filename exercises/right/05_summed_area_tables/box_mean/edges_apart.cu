// right: a branch for each edge of the image, so that it depends on a pixel's place
// right: what is loaded for it

extern "C" __global__ void box_sums(int *sums, const int *table, int w, int h, int r)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;

    int right = min(x + r, w - 1), left = x - r - 1;
    const int *bottom = table + min(y + r, h - 1) * w;
    int sum = bottom[right];
    if (x > r) {
        sum -= bottom[left];
        if (y > r) {
            const int *top = table + (y - r - 1) * w;
            sum -= top[right];
            sum += top[left];
        }
    } else if (y > r) {
        sum -= table[(y - r - 1) * w + right];
    }
    sums[y * w + x] = sum;
}
