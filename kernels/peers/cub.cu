// CUB's device-wide algorithms behind one C function, so that the bench can time them
// beside the workbook's kernels: on the same data in the same memory, between the same
// events, held against the same references.
//
// The bench compiles this file with the machine's nvcc once per operation, with
// `-DPEER_...`, into a library of its own: CUB's templates take long to compile, and
// several compilers run side by side. The headers are those of the machine's toolkit,
// and `warpbook_peer_version` tells which.
//
// `warpbook_peer` follows CUB's convention: without `temp` it only writes how many
// bytes of it the call will need. It queues its work on the null stream and returns
// CUDA's error code. `in` and `out` are addresses on the GPU, `count` is the number of
// elements, below 2^31.

#include <cub/cub.cuh>

struct IsPositive {
    __host__ __device__ bool operator()(int x) const { return x > 0; }
};

extern "C" int warpbook_peer_version() { return CUB_VERSION; }

extern "C" const char *warpbook_peer_error(int code)
{
    return cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int warpbook_peer(void *temp, size_t *bytes, const void *const *in,
                             void *const *out, unsigned long long count)
{
    const int n = static_cast<int>(count);
#if defined(PEER_REDUCE_I32)
    // in: numbers. out: their sum.
    auto sum = static_cast<int *>(out[0]);
    return cub::DeviceReduce::Sum(temp, *bytes, static_cast<const int *>(in[0]), sum,
                                  n);
#elif defined(PEER_SCAN_I32)
    // in: numbers. out: the sums of those before each.
    return cub::DeviceScan::ExclusiveSum(temp, *bytes, static_cast<const int *>(in[0]),
                                         static_cast<int *>(out[0]), n);
#elif defined(PEER_SCAN_F32)
    auto sums = static_cast<float *>(out[0]);
    return cub::DeviceScan::ExclusiveSum(temp, *bytes,
                                         static_cast<const float *>(in[0]), sums, n);
#elif defined(PEER_SELECT_I32)
    // in: numbers. out: the positive ones; how many they are.
    auto kept = static_cast<int *>(out[0]);
    auto number = static_cast<int *>(out[1]);
    return cub::DeviceSelect::If(temp, *bytes, static_cast<const int *>(in[0]), kept,
                                 number, n, IsPositive());
#elif defined(PEER_HISTOGRAM_U8)
    // in: bytes. out: 256 counts.
    auto samples = static_cast<const unsigned char *>(in[0]);
    auto counts = static_cast<unsigned *>(out[0]);
    return cub::DeviceHistogram::HistogramEven(temp, *bytes, samples, counts, 257, 0,
                                               256, n);
#elif defined(PEER_SORT_U32)
    // in: keys. out: the same in ascending order.
    auto keys = static_cast<const unsigned *>(in[0]);
    return cub::DeviceRadixSort::SortKeys(temp, *bytes, keys,
                                          static_cast<unsigned *>(out[0]), n);
#elif defined(PEER_SORT_PAIRS_U32)
    // in: keys, values. out: both in ascending order of the keys.
    auto keys = static_cast<const unsigned *>(in[0]);
    auto values = static_cast<const unsigned *>(in[1]);
    auto keys_out = static_cast<unsigned *>(out[0]);
    return cub::DeviceRadixSort::SortPairs(temp, *bytes, keys, keys_out, values,
                                           static_cast<unsigned *>(out[1]), n);
#elif defined(PEER_REDUCE_BY_KEY_F64)
    // in: keys, values. out: the key of every run, its sum, the number of runs.
    auto keys = static_cast<const int *>(in[0]);
    auto values = static_cast<const double *>(in[1]);
    auto unique = static_cast<int *>(out[0]);
    auto sums = static_cast<double *>(out[1]);
    auto runs = static_cast<int *>(out[2]);
    return cub::DeviceReduce::ReduceByKey(temp, *bytes, keys, unique, values, sums,
                                          runs, ::cuda::std::plus<>{}, n);
#else
#error "compile with -DPEER_ and the name of an operation"
#endif
}
