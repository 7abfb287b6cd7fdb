// A blur in two dimensions that reads what its neighbours may have written.
// expect: race
// launch: 2,2 8,8
// args: iota:256

extern "C" __global__ void blur_in_place(int *image)
{
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x < 15 && y < 15)
        image[y * 16 + x] = (image[y * 16 + x] + image[y * 16 + x + 1] + image[(y + 1) * 16 + x]) / 3; //~ race
}
