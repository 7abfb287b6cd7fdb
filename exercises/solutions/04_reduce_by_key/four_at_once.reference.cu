extern "C" __global__ void reference(float *sums, const int *keys, const float *values,
                                     int n)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < 4; k++) sums[4 * keys[i] + k] += values[4 * i + k];
}
