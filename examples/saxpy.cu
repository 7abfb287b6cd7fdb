// y = a*x + y + offset, and a kernel that fills an array.

__constant__ float offset;

__global__ void saxpy(int n, float a, const float *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i] + offset;
}

template <typename T, int STEP = 1>
__global__ void fill(T *y, T value, int n)
{
    int i = (blockIdx.x * blockDim.x + threadIdx.x) * STEP;
    if (i < n) y[i] = value;
}
