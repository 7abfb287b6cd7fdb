// Local memory: arrays whose index is not known when compiling.
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
KERNEL dynamic_index(float *out, const float *in, int k) {
    float a[32];
    int t = threadIdx.x;
    for (int i = 0; i < 32; i++) a[i] = in[t + i];
    float r = 0;
    for (int i = 0; i < 8; i++) r += a[(k * i + t) & 31];
    out[t] = r;
}
KERNEL dynamic_store(int *out, const int *in) {
    int a[16], t = threadIdx.x;
    for (int i = 0; i < 16; i++) a[i] = i;
    for (int i = 0; i < 8; i++) a[in[t + i] & 15] += t;
    int r = 0;
    for (int i = 0; i < 16; i++) r ^= a[i];
    out[t] = r;
}
KERNEL small_stack(int *out, const unsigned *in) {
    int stack[8], top = 0, t = threadIdx.x, r = 0;
    for (int i = 0; i < 12; i++) {
        unsigned v = in[t + i];
        if (v & 1 && top < 8)
            stack[top++] = v;
        else if (top > 0)
            r += stack[--top];
    }
    out[t] = r;
}
KERNEL bytes_of_a_key(unsigned *out, const unsigned *in) {
    unsigned char key[16];
    int t = threadIdx.x;
    for (int i = 0; i < 16; i++) key[i] = in[t] >> (i & 3) * 8;
    unsigned h = 0;
    for (int i = 0; i < 16; i++) h = h * 31 + key[(in[t + 1] + i) & 15];
    out[t] = h;
}
KERNEL register_array(float *out, const float *in) {
    float a[8];
    int t = threadIdx.x;
    for (int i = 0; i < 8; i++) a[i] = in[t * 8 + i];
    float r = 0;
    for (int i = 0; i < 8; i++) r += a[7 - i] * a[i];
    out[t] = r;
}
KERNEL doubles_local(double *out, const double *in, int k) {
    double a[6];
    int t = threadIdx.x;
    for (int i = 0; i < 6; i++) a[i] = in[t + i];
    out[t] = a[(t + k) % 6] + a[(t * k) % 6];
}
