//! Functions of CUDA C++ as probes: what a programmer calls, compiled by NVRTC into PTX that is committed
//! (`kernels/isa/functions.ptx`), run on a GPU and in the simulator with the same operands.
//!
//! Where NVRTC makes a function of exact instructions only, both must agree in every bit. Where it uses approximate
//! ones, they may differ by the error that the CUDA C++ Programming Guide documents for the function, on each side.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sim::semantics::ScalarType as T;

use super::probe::Probe;
use super::tolerance::Tolerance;

/// The committed PTX of all functions, made by `warpbook dev ptx`.
pub const PTX: &str = include_str!("../../isa/functions.ptx");

/// The file that holds it, from the folder of the crate on.
pub const FILE: &str = "isa/functions.ptx";

/// One function with the types of its operands `a`, `b`, `c` and of its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// The expression, which is its name in the record: `__dp4a(a, b, c)`.
    pub expression: String,
    /// C++ types of the operands.
    pub sources: Vec<&'static str>,
    /// C++ type of the result.
    pub result: &'static str,
    /// What its documented error allows two results to differ by; nothing where it is exact or correctly rounded.
    pub error: Option<Tolerance>,
}

/// Types of CUDA C++ and what operands are drawn for them.
const TYPES: [(&str, T); 14] = [
    ("int", T::S32),
    ("unsigned", T::U32),
    ("long long", T::S64),
    ("unsigned long long", T::U64),
    ("short", T::S16),
    ("unsigned short", T::U16),
    ("float", T::F32),
    ("double", T::F64),
    ("__half", T::F16),
    ("__half2", T::F16x2),
    ("__nv_bfloat16", T::BF16),
    ("__nv_bfloat162", T::BF16x2),
    ("bool", T::U32),
    ("unsigned char", T::U32),
];

/// Result, operands, and functions that are called with all operands in order (or expressions of `a`, `b`, `c` where a
/// parenthesis occurs); blanks stand between them.
const EXACT: &[(&str, &[&str], &str)] = &[
    ("unsigned", &["unsigned"], "__brev __vabs2 __vabs4 __vabsss2 __vabsss4 __vneg2 __vneg4 __vnegss2 __vnegss4"),
    ("unsigned long long", &["unsigned long long"], "__brevll"),
    ("int", &["int"], "__clz __ffs abs"),
    ("int", &["unsigned"], "__popc"),
    ("int", &["long long"], "__clzll __ffsll"),
    ("int", &["unsigned long long"], "__popcll"),
    ("long long", &["long long"], "llabs"),
    (
        "unsigned",
        &["unsigned", "unsigned", "unsigned"],
        "__byte_perm __funnelshift_l __funnelshift_lc __funnelshift_r \
      __funnelshift_rc __usad __dp4a __dp2a_lo(make_ushort2(a,a>>16),make_uchar4(b,b>>8,b>>16,b>>24),c) \
      __dp2a_hi(make_ushort2(a,a>>16),make_uchar4(b,b>>8,b>>16,b>>24),c) __vimax3_u32 __vimin3_u32 __viaddmax_u32 \
      __viaddmin_u32 __viaddmax_s16x2 __viaddmax_s16x2_relu __vimax3_s16x2 __vimax3_u16x2 __vimin3_s16x2_relu \
      __viaddmin_s16x2 (a^b)&c|~a&b a*b+c a<b?b:c",
    ),
    ("int", &["int", "int", "unsigned"], "__sad"),
    (
        "int",
        &["int", "int", "int"],
        "__dp4a __vimax3_s32 __vimin3_s32 __vimax3_s32_relu __viaddmax_s32 \
      __viaddmin_s32_relu",
    ),
    (
        "int",
        &["int", "int"],
        "__mul24 __mulhi __hadd __rhadd __vimax_s32_relu __vimin_s32_relu max min a/b a%b a<<(b&31) \
      a>>(b&31)",
    ),
    (
        "unsigned",
        &["unsigned", "unsigned"],
        "__umul24 __umulhi __uhadd __urhadd umax umin a/b a%b __vabsdiffs2 __vabsdiffs4 \
      __vabsdiffu2 __vabsdiffu4 __vadd2 __vadd4 __vaddss2 __vaddss4 __vaddus2 __vaddus4 __vavgs2 __vavgs4 __vavgu2 \
      __vavgu4 __vhaddu2 __vhaddu4 __vcmpeq2 __vcmpeq4 __vcmpges2 __vcmpges4 __vcmpgeu2 __vcmpgeu4 __vcmpgts2 __vcmpgts4 \
      __vcmpgtu2 __vcmpgtu4 __vcmples2 __vcmples4 __vcmpleu2 __vcmpleu4 __vcmplts2 __vcmplts4 __vcmpltu2 __vcmpltu4 \
      __vcmpne2 __vcmpne4 __vmaxs2 __vmaxs4 __vmaxu2 __vmaxu4 __vmins2 __vmins4 __vminu2 __vminu4 __vsads2 __vsads4 \
      __vsadu2 __vsadu4 __vseteq2 __vseteq4 __vsetges2 __vsetges4 __vsetgeu2 __vsetgeu4 __vsetgts2 __vsetgts4 __vsetgtu2 \
      __vsetgtu4 __vsetles2 __vsetles4 __vsetleu2 __vsetleu4 __vsetlts2 __vsetlts4 __vsetltu2 __vsetltu4 __vsetne2 \
      __vsetne4 __vsub2 __vsub4 __vsubss2 __vsubss4 __vsubus2 __vsubus4 __vimax_s16x2_relu __vimin_s16x2_relu",
    ),
    ("long long", &["long long", "long long"], "__mul64hi llmax llmin a/b a%b a*b"),
    ("unsigned long long", &["unsigned long long", "unsigned long long"], "__umul64hi ullmax ullmin a/b a%b"),
    (
        "float",
        &["float", "float"],
        "__fadd_rn __fadd_rz __fadd_ru __fadd_rd __fsub_rn __fsub_rz __fsub_ru __fsub_rd \
      __fmul_rn __fmul_rz __fmul_ru __fmul_rd __fdiv_rn __fdiv_rz __fdiv_ru __fdiv_rd a/b copysignf fdimf fmaxf fminf \
      fmodf nextafterf remainderf",
    ),
    ("float", &["float", "float", "float"], "__fmaf_rn __fmaf_rz __fmaf_ru __fmaf_rd fmaf __fmaf_ieee_rn a*b+c"),
    (
        "float",
        &["float"],
        "__frcp_rn __frcp_rz __frcp_ru __frcp_rd __fsqrt_rn __fsqrt_rz __fsqrt_ru __fsqrt_rd \
      __frsqrt_rn __saturatef sqrtf ceilf floorf truncf rintf roundf nearbyintf fabsf logbf 1.0f/a",
    ),
    (
        "int",
        &["float"],
        "__float2int_rn __float2int_rz __float2int_ru __float2int_rd __float_as_int (int)a lrintf \
      lroundf ilogbf isnan isinf isfinite signbit",
    ),
    (
        "unsigned",
        &["float"],
        "__float2uint_rn __float2uint_rz __float2uint_ru __float2uint_rd __float_as_uint (unsigned)a",
    ),
    ("long long", &["float"], "__float2ll_rn __float2ll_rz __float2ll_ru __float2ll_rd llrintf llroundf"),
    ("unsigned long long", &["float"], "__float2ull_rn __float2ull_rz __float2ull_ru __float2ull_rd"),
    ("float", &["int"], "__int2float_rn __int2float_rz __int2float_ru __int2float_rd __int_as_float"),
    ("float", &["unsigned"], "__uint2float_rn __uint2float_rz __uint2float_ru __uint2float_rd __uint_as_float"),
    ("float", &["long long"], "__ll2float_rn __ll2float_rz __ll2float_ru __ll2float_rd"),
    ("float", &["unsigned long long"], "__ull2float_rn __ull2float_rz __ull2float_ru __ull2float_rd"),
    ("float", &["float", "int"], "ldexpf scalbnf"),
    ("float", &["double"], "__double2float_rn __double2float_rz __double2float_ru __double2float_rd"),
    (
        "double",
        &["double", "double"],
        "__dadd_rn __dadd_rz __dadd_ru __dadd_rd __dsub_rn __dmul_rn __dmul_rz __dmul_ru \
      __dmul_rd __ddiv_rn __ddiv_rz __ddiv_ru __ddiv_rd a/b copysign fdim fmax fmin fmod nextafter remainder",
    ),
    ("double", &["double", "double", "double"], "__fma_rn __fma_rz __fma_ru __fma_rd fma a*b+c"),
    (
        "double",
        &["double"],
        "__drcp_rn __drcp_rz __drcp_ru __drcp_rd __dsqrt_rn __dsqrt_rz __dsqrt_ru __dsqrt_rd sqrt ceil \
      floor trunc rint round nearbyint fabs logb",
    ),
    ("double", &["float"], "(double)a"),
    ("double", &["int"], "__int2double_rn"),
    ("double", &["unsigned"], "__uint2double_rn"),
    ("double", &["int", "int"], "__hiloint2double"),
    ("double", &["long long"], "__ll2double_rn __ll2double_rz __ll2double_ru __ll2double_rd __longlong_as_double"),
    ("double", &["unsigned long long"], "__ull2double_rn __ull2double_rz __ull2double_ru __ull2double_rd"),
    (
        "int",
        &["double"],
        "__double2int_rn __double2int_rz __double2int_ru __double2int_rd __double2hiint __double2loint \
      ilogb isnan isinf isfinite signbit",
    ),
    ("unsigned", &["double"], "__double2uint_rn __double2uint_rz __double2uint_ru __double2uint_rd"),
    (
        "long long",
        &["double"],
        "__double2ll_rn __double2ll_rz __double2ll_ru __double2ll_rd __double_as_longlong llrint",
    ),
    ("unsigned long long", &["double"], "__double2ull_rn __double2ull_rz __double2ull_ru __double2ull_rd"),
    ("double", &["double", "int"], "ldexp scalbn"),
    (
        "__half",
        &["__half", "__half"],
        "__hadd __hsub __hmul __hadd_rn __hsub_rn __hmul_rn __hadd_sat __hsub_sat __hmul_sat \
      __hmax __hmin __hmax_nan __hmin_nan a+b a*b",
    ),
    ("__half", &["__half", "__half", "__half"], "__hfma __hfma_sat __hfma_relu"),
    ("__half", &["__half"], "__hneg __habs hceil hfloor hrint htrunc"),
    ("bool", &["__half", "__half"], "__heq __hne __hlt __hle __hgt __hge __hequ __hneu __hltu __hleu __hgtu __hgeu"),
    ("bool", &["__half"], "__hisnan"),
    ("int", &["__half"], "__hisinf __half2int_rn __half2int_rz __half2int_ru __half2int_rd"),
    ("unsigned", &["__half"], "__half2uint_rn __half2uint_rz"),
    ("short", &["__half"], "__half2short_rn __half2short_rz __half_as_short"),
    ("unsigned short", &["__half"], "__half2ushort_rn __half2ushort_rz"),
    ("long long", &["__half"], "__half2ll_rn __half2ll_rz"),
    ("float", &["__half"], "__half2float"),
    ("double", &["__half"], "(double)__half2float(a)"),
    ("__half", &["float"], "__float2half __float2half_rn __float2half_rz __float2half_ru __float2half_rd"),
    ("__half", &["double"], "__double2half"),
    ("__half", &["int"], "__int2half_rn __int2half_rz __int2half_ru __int2half_rd"),
    ("__half", &["unsigned"], "__uint2half_rn"),
    ("__half", &["long long"], "__ll2half_rn"),
    (
        "__half2",
        &["__half2", "__half2"],
        "__hadd2 __hsub2 __hmul2 __hadd2_rn __hmul2_rn __hadd2_sat __hmul2_sat __hmax2 \
      __hmin2 __hmax2_nan __hmin2_nan __heq2 __hne2 __hlt2 __hle2 __hgt2 __hge2 __hequ2 __hltu2 __lows2half2 __highs2half2 \
      a+b a*b",
    ),
    ("unsigned", &["__half2", "__half2"], "__heq2_mask __hlt2_mask __hge2_mask __hgtu2_mask"),
    ("bool", &["__half2", "__half2"], "__hbeq2 __hblt2 __hbge2 __hbneu2"),
    ("__half2", &["__half2", "__half2", "__half2"], "__hfma2 __hfma2_sat __hfma2_relu __hcmadd"),
    (
        "__half2",
        &["__half2"],
        "__hneg2 __habs2 h2ceil h2floor h2rint h2trunc __hisnan2 __lowhigh2highlow __low2half2 \
      __high2half2",
    ),
    ("__half", &["__half2"], "__low2half __high2half"),
    ("float", &["__half2"], "__low2float __high2float"),
    ("__half2", &["float", "float"], "__floats2half2_rn"),
    ("__half2", &["float"], "__float2half2_rn"),
    ("__half2", &["__half", "__half"], "__halves2half2"),
    (
        "__nv_bfloat16",
        &["__nv_bfloat16", "__nv_bfloat16"],
        "__hadd __hsub __hmul __hadd_rn __hmul_rn __hadd_sat __hmul_sat \
      __hmax __hmin __hmax_nan __hmin_nan a+b a*b",
    ),
    ("__nv_bfloat16", &["__nv_bfloat16", "__nv_bfloat16", "__nv_bfloat16"], "__hfma __hfma_sat __hfma_relu"),
    ("__nv_bfloat16", &["__nv_bfloat16"], "__hneg __habs hceil hfloor hrint htrunc"),
    ("bool", &["__nv_bfloat16", "__nv_bfloat16"], "__heq __hne __hlt __hle __hgt __hge __hequ __hgtu"),
    ("int", &["__nv_bfloat16"], "__bfloat162int_rn __bfloat162int_rz __hisinf"),
    ("short", &["__nv_bfloat16"], "__bfloat162short_rz __bfloat16_as_short"),
    ("long long", &["__nv_bfloat16"], "__bfloat162ll_rz"),
    ("float", &["__nv_bfloat16"], "__bfloat162float"),
    (
        "__nv_bfloat16",
        &["float"],
        "__float2bfloat16 __float2bfloat16_rn __float2bfloat16_rz __float2bfloat16_ru \
      __float2bfloat16_rd",
    ),
    ("__nv_bfloat16", &["double"], "__double2bfloat16"),
    ("__nv_bfloat16", &["int"], "__int2bfloat16_rn __int2bfloat16_rz"),
    ("__nv_bfloat16", &["unsigned long long"], "__ull2bfloat16_rn"),
    (
        "__nv_bfloat162",
        &["__nv_bfloat162", "__nv_bfloat162"],
        "__hadd2 __hsub2 __hmul2 __hadd2_rn __hmul2_rn __hadd2_sat \
      __hmax2 __hmin2 __hmax2_nan __heq2 __hne2 __hlt2 __hgeu2 a+b a*b",
    ),
    ("unsigned", &["__nv_bfloat162", "__nv_bfloat162"], "__heq2_mask __hlt2_mask"),
    ("__nv_bfloat162", &["__nv_bfloat162", "__nv_bfloat162", "__nv_bfloat162"], "__hfma2 __hfma2_sat __hfma2_relu"),
    ("__nv_bfloat162", &["__nv_bfloat162"], "__hneg2 __habs2 h2ceil h2floor h2rint h2trunc __lowhigh2highlow"),
    ("__nv_bfloat162", &["float", "float"], "__floats2bfloat162_rn"),
    ("float", &["__nv_bfloat162"], "__low2float __high2float"),
];

/// Functions with their documented errors: result, operands, `name:error`. The error is in units of the last place;
/// `abs20` is 2^-20, `rel15` 2^-15 of the result, `any20` the greater of the two.
const ROUGH: &[(&str, &[&str], &str)] = &[
    (
        "float",
        &["float"],
        "rsqrtf:2 cbrtf:1 rcbrtf:1 expf:2 exp2f:2 exp10f:2 expm1f:1 logf:1 log2f:1 log10f:2 log1pf:1 \
      sinf:2 cosf:2 tanf:4 sinpif:1 cospif:1 asinf:2 acosf:2 atanf:2 sinhf:3 coshf:2 tanhf:2 asinhf:3 acoshf:4 atanhf:3 \
      erff:2 erfcf:4 erfinvf:2 erfcinvf:4 erfcxf:4 normcdff:5 normcdfinvf:5 lgammaf:6 tgammaf:5 j0f:9 j1f:9 y0f:9 y1f:9 \
      cyl_bessel_i0f:6 cyl_bessel_i1f:6 __tanf:any15 \
      __expf:rel15 __exp10f:rel15 __logf:any21 __log2f:any22 __log10f:any21 __sinf:abs21 __cosf:abs21",
    ),
    ("float", &["float", "float"], "hypotf:3 rhypotf:2 atan2f:3 powf:4 __fdividef:2 __powf:rel15"),
    ("float", &["float", "float", "float"], "norm3df:3 rnorm3df:2"),
    (
        "double",
        &["double"],
        "rsqrt:1 cbrt:1 rcbrt:1 exp:1 exp2:1 exp10:1 expm1:1 log:1 log2:1 log10:1 log1p:1 sin:2 cos:2 \
      tan:2 sinpi:2 cospi:2 asin:2 acos:2 atan:2 sinh:2 cosh:1 tanh:1 asinh:3 acosh:3 atanh:2 erf:2 erfc:5 erfinv:5 \
      erfcinv:6 erfcx:4 normcdf:5 normcdfinv:8 lgamma:4 tgamma:10 j0:7 y0:7 cyl_bessel_i0:6",
    ),
    ("double", &["double", "double"], "hypot:2 rhypot:1 atan2:2 pow:2"),
    ("double", &["double", "double", "double"], "norm3d:2"),
    ("__half", &["__half", "__half"], "__hdiv:1"),
    (
        "__half",
        &["__half"],
        "hsin:1 hcos:1 hexp:1 hexp2:1 hexp10:1 hlog:1 hlog2:1 hlog10:1 hrcp:1 hrsqrt:1 hsqrt:1 htanh:1 \
      htanh_approx:2",
    ),
    ("__half2", &["__half2"], "h2sin:1 h2exp:1 h2exp2:1 h2log:1 h2rcp:1 h2rsqrt:1 h2sqrt:1"),
    ("__half2", &["__half2", "__half2"], "__h2div:1"),
    ("__nv_bfloat16", &["__nv_bfloat16", "__nv_bfloat16"], "__hdiv:1"),
    ("__nv_bfloat16", &["__nv_bfloat16"], "hsin:1 hcos:1 hexp:1 hlog:1 hrcp:1 hrsqrt:1 hsqrt:1 htanh:1"),
    ("__nv_bfloat162", &["__nv_bfloat162"], "h2exp:1 h2rcp:1 h2sqrt:1"),
];

/// All functions, in the order of their kernels.
pub fn functions() -> Vec<Function> {
    let call = |name: &str, count: usize| {
        if name.contains(['(', '+', '/', '%', '*', '<', '>', '?']) {
            name.to_owned()
        } else {
            format!("{name}({})", ["a", "b", "c"][..count].join(", "))
        }
    };
    let exact = EXACT
        .iter()
        .flat_map(|&(result, sources, names)| names.split_whitespace().map(move |name| (result, sources, name, None)));
    let rough = ROUGH.iter().flat_map(|&(result, sources, names)| {
        let pairs = names.split_whitespace().filter_map(|pair| pair.split_once(':'));
        pairs.map(move |(name, bound)| (result, sources, name, error(bound)))
    });
    let function = |(result, sources, name, error): (&'static str, &[&'static str], &str, Option<Tolerance>)| {
        Function { expression: call(name, sources.len()), sources: sources.to_vec(), result, error }
    };
    exact.chain(rough).map(function).collect()
}

/// The CUDA source of all functions: one kernel each, `f0`, `f1` and so on.
pub fn source() -> String {
    let mut text = String::from(
        "// warpbook: arch=compute_90\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n\
         template <class T> __device__ T load(const unsigned long long *in, int row) {\n\
         \x20   unsigned long long bits = in[row * 256 + threadIdx.x];\n    T value;\n    memcpy(&value, &bits, sizeof value);\n\
         \x20   return value;\n}\n\
         template <class T> __device__ void store(unsigned long long *out, T value) {\n\
         \x20   unsigned long long bits = 0;\n    memcpy(&bits, &value, sizeof value);\n    out[threadIdx.x] = bits;\n}\n",
    );
    for (number, function) in functions().iter().enumerate() {
        let mut operands = String::new();
        for (at, (ty, name)) in function.sources.iter().zip(["a", "b", "c"]).enumerate() {
            let _ = write!(operands, " {ty} {name} = load<{ty}>(in, {at});");
        }
        let _ = writeln!(
            text,
            "extern \"C\" __global__ void f{number}(const unsigned long long *in, unsigned long long *out, void *) {{{operands} \
             {ty} r = {expression}; store<{ty}>(out, r); }}",
            ty = function.result,
            expression = function.expression
        );
    }
    text
}

/// What a documented error allows two results to differ by: both may be off by it.
fn error(bound: &str) -> Option<Tolerance> {
    let power = |digits: &str| digits.parse().ok().map(|bits: i32| 2f64.powi(1 - bits));
    match bound.split_at_checked(3) {
        Some(("abs", bits)) => power(bits).map(Tolerance::Absolute),
        Some(("rel", bits)) => power(bits).map(Tolerance::Relative),
        Some(("any", bits)) => power(bits).map(|most| Tolerance::Either(most, most)),
        _ => bound.parse().ok().map(|ulps: u64| Tolerance::Ulp(2 * ulps)),
    }
}

/// The type that operands are drawn for.
fn drawn(name: &str) -> T {
    TYPES.iter().find(|ty| ty.0 == name).map_or(T::B64, |ty| ty.1)
}

/// Every function as a probe, with its kernel in [`PTX`].
///
/// # Panics
/// When the committed PTX lacks a function: it is older than the list (a test says so first).
pub fn kernels() -> Vec<(&'static str, Probe)> {
    let texts: BTreeMap<&'static str, &'static str> = PTX
        .split(".visible .entry ")
        .skip(1)
        .filter_map(|text| Some((text.split_once('(')?.0, text.split("\n}").next()?)))
        .collect();
    let kernel = |(number, function): (usize, Function)| {
        let (name, text) = texts.get_key_value(&*format!("f{number}")).expect("a kernel for every function");
        (*name, function.probe(text))
    };
    functions().into_iter().enumerate().map(kernel).collect()
}

impl Function {
    /// The function as a probe; its body is the expression. `ptx` is its kernel.
    fn probe(&self, ptx: &str) -> Probe {
        let sources: Vec<T> = self.sources.iter().map(|ty| drawn(ty)).collect();
        let name = format!("C++ {} ({}): {}", self.result, self.sources.join(", "), self.expression);
        let name = name.replace("unsigned long long", "ull").replace("long long", "ll").replace("unsigned", "uint");
        let approximate = [".approx", "div.full", "call"].iter().any(|what| ptx.contains(what));
        let tolerance = if approximate { self.error } else { None };
        Probe { name, tolerance, ..Probe::new("", &sources, &[drawn(self.result)], self.expression.clone()) }
    }
}
