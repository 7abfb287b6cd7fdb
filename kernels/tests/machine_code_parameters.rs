//! Parameters in machine code, whose constants a compiler may read wider than the parameter is.

use kernels::assembled::Assembled;
use kernels::testing::not_run;
use sim::launch::Scalar;
use sim::{Arg, Dim3, Launch, Options};

/// The number behind each thread's times a parameter of two bytes, the last one. ptxas loads it as two bytes for the sum, and as a word
/// of which it keeps the lower half for the product.
const TIMES: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u16 n)\n{\n\
    .reg .pred %p<2>;\n.reg .b16 %h<2>;\n.reg .b32 %r<3>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [out];\nld.param.u16 %h1, [n];\n\
    mov.u32 %r1, %tid.x;\ncvt.u64.u16 %rd2, %h1;\ncvt.u32.u16 %r2, %h1;\nmul.wide.u32 %rd3, %r2, %r1;\n\
    add.s64 %rd4, %rd3, %rd2;\nsetp.eq.s16 %p1, %h1, 0;\n@%p1 bra DONE;\nmul.wide.u32 %rd5, %r1, 8;\nadd.u64 %rd6, %rd1, %rd5;\n\
    st.global.u64 [%rd6], %rd4;\nDONE:\nret;\n}\n";

#[test]
fn a_parameter_of_two_bytes_at_the_end_may_be_read_as_a_word() {
    let mut code = match Assembled::of_ptx("k.ptx", TIMES) {
        Ok(code) => code,
        Err(why) => return not_run("parameters in machine code", &why.to_string()),
    };
    let args = vec![Arg::Zeros(32 * 8), Arg::Scalar(Scalar::U16(700))];
    let launch = Launch { grid: Dim3::linear(1), block: Dim3::linear(32), shared_bytes: 0, args };
    let outcome = code.run("k", &launch, &Options::default()).expect("a launch");
    assert!(outcome.report.is_clean(), "{:?}", outcome.report.findings);
    let bytes = outcome.buffers[0].as_ref().expect("what was written").to_vec();
    let numbers = bytes.chunks_exact(8).map(|number| u64::from_le_bytes(number.try_into().expect("eight bytes")));
    assert_eq!(numbers.collect::<Vec<u64>>(), (1..=32).map(|number| number * 700).collect::<Vec<u64>>());
}
