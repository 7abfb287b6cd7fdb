// The small algorithms that everyone writes: reductions, scans, transposes, products, stencils, sorting, compaction.
// warpbook: arch=compute_90
#define KERNEL extern "C" __global__ void
KERNEL transpose_naive(float *out, const float *in, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[x * n + y + i] = in[(y + i) * n + x];
}
KERNEL transpose_tile(float *out, const float *in, int n) {
    __shared__ float tile[32][32];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
KERNEL transpose_padded(float *out, const float *in, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) tile[threadIdx.y + i][threadIdx.x] = in[(y + i) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int i = 0; i < 32; i += 8) out[(y + i) * n + x] = tile[threadIdx.x][threadIdx.y + i];
}
KERNEL matrix_product(float *c, const float *a, const float *b, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
    float s = 0;
    for (int t = 0; t < n; t += 16) {
        ta[y][x] = a[row * n + t + x];
        tb[y][x] = b[(t + y) * n + col];
        __syncthreads();
        for (int k = 0; k < 16; k++) s += ta[y][k] * tb[k][x];
        __syncthreads();
    }
    c[row * n + col] = s;
}
KERNEL matrix_product_naive(float *c, const float *a, const float *b, int n) {
    int row = blockIdx.y * blockDim.y + threadIdx.y, col = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n || col >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++) s += a[row * n + k] * b[k * n + col];
    c[row * n + col] = s;
}
KERNEL matrix_vector(double *y, const double *a, const double *x, int n) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n) return;
    double s = 0;
    for (int k = 0; k < n; k++) s += a[row * n + k] * x[k];
    y[row] = s;
}
KERNEL reduce_interleaved(float *out, const float *in) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        if (t % (2 * d) == 0) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
KERNEL reduce_strided(float *out, const float *in) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = 1; d < blockDim.x; d *= 2) {
        int i = 2 * d * t;
        if (i < blockDim.x) s[i] += s[i + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
KERNEL reduce_sequential(float *out, const float *in) {
    extern __shared__ float s[];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    for (int d = blockDim.x / 2; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = s[0];
}
KERNEL reduce_warps(int *out, const int *in, int n) {
    __shared__ int partial[32];
    int sum = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum += in[i];
    for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    if (lane == 0) partial[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        sum = lane < blockDim.x / 32 ? partial[lane] : 0;
        for (int d = 16; d; d >>= 1) sum += __shfl_down_sync(~0u, sum, d);
        if (lane == 0) atomicAdd(out, sum);
    }
}
KERNEL scan_inclusive(int *out, const int *in) {
    __shared__ int s[2][256];
    int t = threadIdx.x, from = 0;
    s[0][t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int d = 1; d < 256; d *= 2) {
        s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
        from = 1 - from;
        __syncthreads();
    }
    out[blockIdx.x * 256 + t] = s[from][t];
}
KERNEL scan_warp(int *out, const int *in) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = t & 31, v = in[t];
    for (int d = 1; d < 32; d *= 2) {
        int other = __shfl_up_sync(~0u, v, d);
        if (lane >= d) v += other;
    }
    out[t] = v;
}
KERNEL stencil_1d(float *out, const float *in, int n) {
    __shared__ float s[256 + 6];
    int t = threadIdx.x, g = blockIdx.x * 256 + t;
    s[t + 3] = in[g + 3];
    if (t < 3) {
        s[t] = in[g];
        s[t + 259] = in[g + 259];
    }
    __syncthreads();
    float r = 0;
    for (int d = -3; d <= 3; d++) r += s[t + 3 + d];
    out[g] = r;
}
KERNEL stencil_2d(float *out, const float *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
    out[y * w + x] = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] + in[(y + 1) * w + x]);
}
KERNEL stencil_3d(float *out, const float *in, int w, int h, int d) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x >= w || y >= h || z >= d) return;
    int i = (z * h + y) * w + x;
    float r = in[i];
    if (x > 0) r += in[i - 1];
    if (x < w - 1) r += in[i + 1];
    if (y > 0) r += in[i - w];
    if (y < h - 1) r += in[i + w];
    if (z > 0) r += in[i - w * h];
    if (z < d - 1) r += in[i + w * h];
    out[i] = r * (1.0f / 7);
}
__constant__ float weights[9] = {0.1f, 0.2f, 0.3f, 0.4f, 0.5f, 0.4f, 0.3f, 0.2f, 0.1f};
KERNEL convolution(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float r = 0;
    for (int k = -4; k <= 4; k++) {
        int j = i + k;
        if (j >= 0 && j < n) r += in[j] * weights[k + 4];
    }
    if (i < n) out[i] = r;
}
KERNEL bitonic_sort(int *out, const int *in) {
    __shared__ int s[256];
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int k = 2; k <= 256; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            int other = t ^ j;
            if (other > t) {
                int a = s[t], b = s[other];
                if ((t & k) == 0 ? a > b : a < b) {
                    s[t] = b;
                    s[other] = a;
                }
            }
            __syncthreads();
        }
    out[blockIdx.x * 256 + t] = s[t];
}
KERNEL odd_even_sort(int *data, int n) {
    int t = threadIdx.x;
    for (int round = 0; round < n; round++) {
        int i = 2 * t + (round & 1);
        if (i + 1 < n && data[i] > data[i + 1]) {
            int a = data[i];
            data[i] = data[i + 1];
            data[i + 1] = a;
        }
        __syncthreads();
    }
}
KERNEL compact(unsigned *out, unsigned *count, const unsigned *in) {
    // One warp appends what it keeps as a group.
    int t = blockIdx.x * blockDim.x + threadIdx.x, lane = t & 31;
    bool keep = in[t] % 3 == 0;
    unsigned mask = __ballot_sync(~0u, keep), base = 0;
    if (lane == 0) base = atomicAdd(count, __popc(mask));
    base = __shfl_sync(~0u, base, 0);
    if (keep) out[base + __popc(mask & ((1u << lane) - 1))] = in[t];
}
KERNEL sparse_product(float *y, const int *begin, const int *column, const float *value, const float *x, int rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float s = 0;
    int first = begin[row] % 17, count = begin[row + 1] % 13;
    for (int k = first; k < first + count; k++) s += value[k] * x[column[k] & 255];
    y[row] = s;
}
KERNEL nearest(int *out, const float2 *points, const float2 *centres, int k) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, best = 0;
    float2 p = points[i];
    float least = 1e30f;
    for (int c = 0; c < k; c++) {
        float dx = p.x - centres[c].x, dy = p.y - centres[c].y, d = dx * dx + dy * dy;
        if (d < least) {
            least = d;
            best = c;
        }
    }
    out[i] = best;
}
KERNEL bodies(float4 *acceleration, const float4 *position, int n) {
    extern __shared__ float4 tile[];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = position[i], a = make_float4(0, 0, 0, 0);
    for (int first = 0; first < n; first += blockDim.x) {
        tile[threadIdx.x] = position[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; j++) {
            float4 other = tile[j];
            float dx = other.x - me.x, dy = other.y - me.y, dz = other.z - me.z;
            float d = dx * dx + dy * dy + dz * dz + 0.01f, inverse = rsqrtf(d);
            float s = other.w * inverse * inverse * inverse;
            a.x += dx * s;
            a.y += dy * s;
            a.z += dz * s;
        }
        __syncthreads();
    }
    acceleration[i] = a;
}
KERNEL mandelbrot(int *out, int w, float scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = x * scale - 2, cy = y * scale - 1, zx = 0, zy = 0;
    int steps = 0;
    while (zx * zx + zy * zy < 4 && steps < 50) {
        float next = zx * zx - zy * zy + cx;
        zy = 2 * zx * zy + cy;
        zx = next;
        steps++;
    }
    out[y * w + x] = steps;
}
KERNEL life(unsigned char *out, const unsigned char *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, alive = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            if (dx == 0 && dy == 0) continue;
            alive += in[((y + dy + h) % h) * w + (x + dx + w) % w] & 1;
        }
    out[y * w + x] = alive == 3 || (alive == 2 && in[y * w + x] & 1);
}
KERNEL saxpy(float *y, const float *x, float a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
KERNEL dot_product(float *out, const float *a, const float *b, int n) {
    __shared__ float cache[128];
    float sum = 0;
    for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
    cache[threadIdx.x] = sum;
    __syncthreads();
    for (int i = blockDim.x / 2; i != 0; i /= 2) {
        if (threadIdx.x < i) cache[threadIdx.x] += cache[threadIdx.x + i];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = cache[0];
}
KERNEL shortest_paths(int *distance, int n, int k) {
    int i = blockIdx.y * blockDim.y + threadIdx.y, j = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && j < n) {
        int through = distance[i * n + k] + distance[k * n + j];
        if (through < distance[i * n + j]) distance[i * n + j] = through;
    }
}
KERNEL butterfly(float2 *data, int half) {
    int t = blockIdx.x * blockDim.x + threadIdx.x, i = t / half * 2 * half + t % half;
    float2 a = data[i], b = data[i + half];
    data[i] = make_float2(a.x + b.x, a.y + b.y);
    data[i + half] = make_float2(a.x - b.x, a.y - b.y);
}
KERNEL breadth_first(int *next, const int *level, const int *begin, const int *edges, int current, int n) {
    // Levels are written to a copy: what a thread reads does not depend on how far others are.
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= n || level[v] % 4 != current) return;
    for (int e = begin[v] & 63; e < (begin[v] & 63) + (v & 7); e++) {
        int w = edges[e] & (n - 1);
        if (level[w] < 0) next[w] = current + 1;
    }
}
