// An atomic on a pointer that is no multiple of its size.
// expect: misaligned
// launch: 1 32
// args: zeros:256

extern "C" __global__ void misaligned_atomic(char *bytes)
{
    atomicAdd(reinterpret_cast<int *>(bytes + 2), 1); //~ misaligned
}
