// Kernels whose simulation `cargo bench` times. The native loops beside them are in throughput.rs.
// throughput.rs tells how throughput.ptx is made of them.

/// Blelloch's scan of one tile of 512 floats per block of 256 threads, with padding against bank conflicts.
extern "C" __global__ void scan(const float* in, float* out) {
    __shared__ float tile[512 + 512 / 32];
    const auto place = [](unsigned i) { return i + i / 32; };
    const unsigned t = threadIdx.x, base = blockIdx.x * 512;
    tile[place(t)] = in[base + t];
    tile[place(t + 256)] = in[base + t + 256];
    unsigned stride = 1;
    for (unsigned pairs = 256; pairs > 0; pairs /= 2) {
        __syncthreads();
        if (t < pairs) {
            const unsigned left = place(stride * (2 * t + 1) - 1), right = place(stride * (2 * t + 2) - 1);
            tile[right] += tile[left];
        }
        stride *= 2;
    }
    if (t == 0) tile[place(511)] = 0;
    for (unsigned pairs = 1; pairs < 512; pairs *= 2) {
        stride /= 2;
        __syncthreads();
        if (t < pairs) {
            const unsigned left = place(stride * (2 * t + 1) - 1), right = place(stride * (2 * t + 2) - 1);
            const float sum = tile[left];
            tile[left] = tile[right];
            tile[right] += sum;
        }
    }
    __syncthreads();
    out[base + t] = tile[place(t)];
    out[base + t + 256] = tile[place(t + 256)];
}

/// Scan of one tile of 1024 floats per block of 256 threads: shuffles within warps, four elements a thread.
extern "C" __global__ void scan_shuffle(const float4* in, float4* out) {
    __shared__ float sums[8];
    const unsigned t = threadIdx.x, lane = t % 32, at = blockIdx.x * 256 + t;
    const float4 mine = in[at];
    const float two = mine.x + mine.y, three = two + mine.z, four = three + mine.w;
    float sum = four;
    for (unsigned distance = 1; distance < 32; distance *= 2) {
        const float other = __shfl_up_sync(~0u, sum, distance);
        if (lane >= distance) sum += other;
    }
    if (lane == 31) sums[t / 32] = sum;
    __syncthreads();
    float before = sum - four;
    for (unsigned warp = 0; warp < t / 32; ++warp) before += sums[warp];
    out[at] = make_float4(before, before + mine.x, before + two, before + three);
}

/// 256 bins in shared memory, 4096 keys per block of 256 threads.
extern "C" __global__ void histogram(const unsigned* keys, unsigned* bins) {
    __shared__ unsigned mine[256];
    const unsigned t = threadIdx.x;
    mine[t] = 0;
    __syncthreads();
    for (unsigned i = 0; i < 16; ++i) {
        const unsigned key = keys[blockIdx.x * 4096 + i * 256 + t];
        atomicAdd(&mine[key & 255], 1);
    }
    __syncthreads();
    atomicAdd(&bins[t], mine[t]);
}

/// A square matrix, in tiles of 32 by 32 that blocks of 32 by 8 threads turn round in shared memory.
extern "C" __global__ void transpose(const float* in, float* out, unsigned side) {
    __shared__ float tile[32][33];
    unsigned x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (unsigned row = 0; row < 32; row += 8) tile[threadIdx.y + row][threadIdx.x] = in[(y + row) * side + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (unsigned row = 0; row < 32; row += 8) out[(y + row) * side + x] = tile[threadIdx.x][threadIdx.y + row];
}

/// Keeps the odd elements of each tile of 1024, in order, at the beginning of the tile; `kept` is how many they are.
extern "C" __global__ void compact(const unsigned* in, unsigned* out, unsigned* kept) {
    __shared__ unsigned counts[8];
    const unsigned t = threadIdx.x, lane = t % 32;
    unsigned base = 0;
    for (unsigned part = 0; part < 4; ++part) {
        const unsigned value = in[blockIdx.x * 1024 + part * 256 + t];
        const bool keep = value & 1;
        const unsigned votes = __ballot_sync(~0u, keep);
        if (lane == 0) counts[t / 32] = __popc(votes);
        __syncthreads();
        unsigned before = base + __popc(votes & ((1u << lane) - 1));
        for (unsigned warp = 0; warp < 8; ++warp) {
            const unsigned count = counts[warp];
            if (warp < t / 32) before += count;
            base += count;
        }
        if (keep) out[blockIdx.x * 1024 + before] = value;
        __syncthreads();
    }
    if (t == 0) kept[blockIdx.x] = base;
}

/// Steps of the 3n + 1 problem from each start: every lane leaves the loop when it is done, and parts ways in it.
extern "C" __global__ void divergent(const unsigned* starts, unsigned* steps) {
    const unsigned at = blockIdx.x * 256 + threadIdx.x;
    unsigned value = starts[at], count = 0;
    while (value != 1) {
        if (value % 2) {
            value = 3 * value + 1;
            if (value % 3 == 0) count += 1000000;
        } else {
            value /= 2;
        }
        ++count;
    }
    steps[at] = count;
}
