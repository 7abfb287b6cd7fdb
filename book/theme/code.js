// Teaches the highlighter that comes with mdBook the words of CUDA C++ and of PTX. This script comes after mdBook's own, which has
// looked at all code by then; so it looks again at blocks of `cpp`, `cuda` and `ptx`, from their plain text.
"use strict";

(() => {
    if (typeof hljs === "undefined") return;

    // What CUDA adds to C++: qualifiers are keywords; what every kernel may call or read is built in; types are types.
    const KEYWORDS = "__global__ __device__ __host__ __shared__ __constant__ __managed__ __restrict__ __launch_bounds__ " +
        "__forceinline__ __noinline__ __grid_constant__ __cluster_dims__ __align__";
    const BUILT_IN = "threadIdx blockIdx blockDim gridDim warpSize __syncthreads __syncthreads_count __syncthreads_and " +
        "__syncthreads_or __syncwarp __threadfence __threadfence_block __threadfence_system __ballot_sync __all_sync __any_sync " +
        "__activemask __match_any_sync __match_all_sync __shfl_sync __shfl_up_sync __shfl_down_sync __shfl_xor_sync " +
        "__reduce_add_sync __reduce_min_sync __reduce_max_sync __reduce_and_sync __reduce_or_sync __reduce_xor_sync " +
        "atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor " +
        "atomicAdd_block atomicAdd_system __ldg __ldcg __ldcs __stcg __stcs __popc __popcll __ffs __clz __brev __fns " +
        "__byte_perm __funnelshift_l __funnelshift_r __float_as_int __int_as_float __float_as_uint __uint_as_float __trap " +
        "__assertfail __nanosleep __cvta_generic_to_shared cudaMalloc cudaFree cudaMemcpy cudaMemset cudaDeviceSynchronize " +
        "cudaLaunchKernel cudaGetLastError cudaStreamSynchronize";
    const TYPES = "dim3 char2 char4 uchar2 uchar4 short2 short4 ushort2 ushort4 int2 int3 int4 uint2 uint3 uint4 long2 long4 " +
        "ulong2 ulonglong2 ulonglong4 longlong2 longlong4 float2 float3 float4 double2 double4 half half2 __half __half2 " +
        "__nv_bfloat16 cudaError_t cudaStream_t size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t";

    const joined = (...lists) => lists.filter(Boolean).join(" ");
    const cuda = (hljs) => {
        const base = hljs.getLanguage("cpp").rawDefinition(hljs);
        const own = base.keywords;
        // Every mode that has the words of C++ gets the same words, and what they are nested in stays as it is.
        const words = typeof own === "string" ? { keyword: own } : own;
        const keywords = {
            ...words,
            keyword: joined(words.keyword, KEYWORDS),
            built_in: joined(words.built_in, BUILT_IN),
            literal: words.literal,
            type: TYPES,
        };
        const seen = new Set();
        const taught = (mode) => {
            if (typeof mode !== "object" || mode === null || seen.has(mode)) return;
            seen.add(mode);
            if (mode.keywords === own) mode.keywords = keywords;
            [mode.starts, ...(mode.contains ?? []), ...(mode.variants ?? [])].forEach(taught);
        };
        taught(base);
        return { ...base, keywords, name: "CUDA C++", aliases: ["cu"] };
    };

    // PTX: directives and opcodes with their dotted modifiers, registers, special registers, labels, numbers.
    const ptx = (hljs) => ({
        name: "PTX",
        contains: [
            hljs.C_LINE_COMMENT_MODE,
            hljs.C_BLOCK_COMMENT_MODE,
            hljs.QUOTE_STRING_MODE,
            // What a read-only register tells, before registers of the kernel.
            {
                className: "built_in",
                begin: /%(tid|ntid|ctaid|nctaid|laneid|warpid|nwarpid|smid|nsmid|gridid|lanemask_\w+|clock|clock64|globaltimer|dynamic_smem_size|total_smem_size)\b(\.[xyz])?/,
            },
            { className: "variable", begin: /%\w+(\.[xyzw])?/ },
            { className: "meta", begin: /^\s*\.(version|target|address_size|file|loc|section|pragma)\b/ },
            {
                className: "keyword",
                begin: /(^|\s)\.(visible|entry|func|extern|weak|reg|param|shared|global|local|const|align|maxntid|reqntid|minnctapersm|maxnreg|alias|branchtargets|ptr|common)\b/,
            },
            { className: "type", begin: /\.(pred|[bsuf](8|16|32|64|128)|f16x2|bf16|bf16x2|v2|v4|v8|tf32|e4m3|e5m2)\b/ },
            // A guard, then the opcode: what begins a statement.
            { className: "symbol", begin: /@!?%p\w*/ },
            { className: "symbol", begin: /^\s*[$\w]+:/ },
            { className: "symbol", begin: /\$L?_*\w+/ },
            { className: "keyword", begin: /\b(abs|activemask|add|addc|and|atom|bar|barrier|bfe|bfi|bfind|bmsk|bra|brev|brkpt|brx|call|clz|cnot|copysign|cos|cp|createpolicy|cvt|cvta|discard|div|dp2a|dp4a|elect|ex2|exit|fence|fma|fns|getctarank|isspacep|istypep|ld|ldmatrix|ldu|lg2|lop3|mad|mad24|madc|mapa|match|max|mbarrier|membar|min|mma|mov|movmatrix|mul|mul24|multimem|nanosleep|neg|not|or|pmevent|popc|prefetch|prefetchu|prmt|rcp|red|redux|rem|ret|rsqrt|sad|selp|set|setmaxnreg|setp|shf|shfl|shl|shr|sin|slct|sqrt|st|stackrestore|stacksave|stmatrix|sub|subc|szext|tanh|testp|trap|vote|wgmma|xor)(?=[.\s;])/ },
            { className: "number", begin: /\b0[fF][0-9a-fA-F]{8}\b|\b0[dD][0-9a-fA-F]{16}\b|\b0[xX][0-9a-fA-F]+U?\b|\b\d+U?\b/ },
        ],
    });

    hljs.registerLanguage("cuda", cuda);
    hljs.registerLanguage("ptx", ptx);
    document.querySelectorAll("code.language-cpp, code.language-cuda, code.language-ptx").forEach((block) => {
        const language = block.classList.contains("language-ptx") ? "ptx" : "cuda";
        block.innerHTML = hljs.highlight(language, block.textContent, true).value;
        block.classList.add("hljs");
    });
})();
