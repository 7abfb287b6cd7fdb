//! Lanes of one warp that add up in groups, in machine code: what an H100 leaves behind and how often it executes each
//! instruction (ptxas 13.0 for `sm_90`).

use kernels::assembled::Assembled;
use kernels::testing::not_run;
use sim::{Arg, Dim3, Launch, Options};

/// Every lane adds up the numbers of the lanes in its mask, and then what they got. `mask` computes it.
fn sums(mask: &str) -> String {
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{{\n.reg .b32 %r<9>;\n\
         .reg .b64 %rd<4>;\nld.param.u64 %rd1, [out];\nmov.u32 %r1, %tid.x;\n{mask}\
         redux.sync.add.u32 %r6, %r1, %r2;\nredux.sync.add.u32 %r3, %r6, %r2;\nmul.wide.u32 %rd2, %r1, 4;\nadd.u64 %rd3, %rd1, %rd2;\n\
         st.global.u32 [%rd3], %r3;\nret;\n}}\n"
    )
}

/// What the lanes leave behind, and how often an instruction with this in its text is executed.
fn run(ptx: &str, text: &str) -> Option<(Vec<u32>, u64)> {
    let mut code = match Assembled::of_ptx("k.ptx", ptx) {
        Ok(code) => code,
        Err(why) => {
            not_run("groups of lanes in machine code", &why.to_string());
            return None;
        }
    };
    let launch =
        Launch { grid: Dim3::linear(1), block: Dim3::linear(32), shared_bytes: 0, args: vec![Arg::Zeros(32 * 4)] };
    let outcome = code.run("k", &launch, &Options::default()).expect("a launch");
    assert!(outcome.report.is_clean(), "{:?}", outcome.report.findings);
    let bytes = outcome.buffers[0].as_ref().expect("what was written").to_vec();
    let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().expect("a word"))).collect();
    let section = outcome.report.machine_code.as_ref().expect("machine code");
    let executed = section.listing.iter().filter(|inst| inst.text.contains(text)).map(|inst| inst.executed).sum();
    Some((words, executed))
}

#[test]
fn groups_add_up_one_after_the_other() {
    for size in [16u32, 4, 1] {
        let ones = (1u64 << size) - 1;
        let first = format!("and.b32 %r4, %r1, {};\nmov.u32 %r5, {ones};\nshl.b32 %r2, %r5, %r4;\n", 32 - size);
        for text in ["REDUX.SUM", "WARPSYNC.COLLECTIVE", "ENDCOLLECTIVE", "BSYNC"] {
            let Some((words, executed)) = run(&sums(&first), text) else { return };
            let sum = |lane: u32| (lane / size * size..).take(size as usize).sum::<u32>() * size;
            assert_eq!(words, (0..32).map(sum).collect::<Vec<u32>>(), "groups of {size}");
            assert_eq!(executed, u64::from(32 / size) * 2, "{text}, groups of {size}");
        }
    }
}

#[test]
fn lanes_with_one_mask_add_up_at_once() {
    // The mask comes from a lane's number, which is less than 32.
    let Some((words, executed)) = run(&sums("shr.u32 %r4, %r1, 5;\nsub.u32 %r2, %r4, 1;\n"), "WARPSYNC.COLLECTIVE")
    else {
        return;
    };
    assert_eq!((words, executed), (vec![496 * 32; 32], 0));
}
