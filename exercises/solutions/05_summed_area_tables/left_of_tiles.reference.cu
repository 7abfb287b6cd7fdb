extern "C" __global__ void reference(int *sums, int tiles, int lines)
{
    for (int line = 0; line < lines; line++)
        for (int tile = tiles - 1; tile >= 0; tile--) {
            int left = 0;
            for (int t = 0; t < tile; t++) left += sums[t * lines + line];
            sums[tile * lines + line] = left;
        }
}
