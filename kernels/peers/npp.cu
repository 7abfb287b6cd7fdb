// NPP's summed-area table behind the same C function as CUB's algorithms in `cub.cu`,
// where the machine's toolkit has NPP.
//
// What it computes is not quite what the workbook's kernels do: bytes become ints (no
// function of NPP's takes floats and leaves floats), a table has one row and one column
// more than the picture, both of zeros, and an entry is the sum of what lies above and
// to the left of it, without the row and the column of its own. Sums are taken
// modulo 2^32.

#include <nppcore.h>
#include <nppi_statistics_functions.h>

extern "C" int warpbook_peer_version()
{
    // As CUB writes its versions: in steps of 100,000, 100 and 1.
    const NppLibraryVersion *version = nppGetLibVersion();
    return version->major * 100000 + version->minor * 100 + version->build % 100;
}

// NPP's own errors are negative, and have no texts.
extern "C" const char *warpbook_peer_error(int code)
{
    return code < 0 ? "NPP failed; its codes are NppStatus in nppdefs.h"
                    : cudaGetErrorString(static_cast<cudaError_t>(code));
}

extern "C" int warpbook_peer(void *temp, size_t *bytes, const void *const *in,
                             void *const *out, unsigned long long count)
{
    // It needs no memory besides.
    if (temp == nullptr) {
        *bytes = 0;
        return 0;
    }
    const int width = static_cast<int>(count >> 32),
              height = static_cast<int>(count & 0xffffffffu);
    static NppStreamContext context = [] {
        NppStreamContext made = {};
        cudaGetDevice(&made.nCudaDeviceId);
        cudaDeviceProp properties;
        cudaGetDeviceProperties(&properties, made.nCudaDeviceId);
        made.hStream = nullptr;
        made.nMultiProcessorCount = properties.multiProcessorCount;
        made.nMaxThreadsPerMultiProcessor = properties.maxThreadsPerMultiProcessor;
        made.nMaxThreadsPerBlock = properties.maxThreadsPerBlock;
        made.nSharedMemPerBlock = properties.sharedMemPerBlock;
        made.nCudaDevAttrComputeCapabilityMajor = properties.major;
        made.nCudaDevAttrComputeCapabilityMinor = properties.minor;
        return made;
    }();
#if defined(PEER_NPP_INTEGRAL_8U32S)
    // in: bytes. out: a table of (width + 1) x (height + 1) ints.
    auto image = static_cast<const Npp8u *>(in[0]);
    auto table = static_cast<Npp32s *>(out[0]);
    return nppiIntegral_8u32s_C1R_Ctx(image, width, table, 4 * (width + 1),
                                      {width, height}, 0, context);
#else
#error "compile with -DPEER_ and the name of an operation"
#endif
}
