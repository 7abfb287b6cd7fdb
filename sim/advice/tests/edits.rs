//! Small kernels, each with one habit, and what advice says of them: the numbers follow from the kernel by hand.

use advice::{Advice, Edit};
use sim::predict::How;
use sim::{Arg, Dim3, Launch, Module, Options};

/// The edits for a kernel of one parameter, whose body finds its thread in `%r1`, four times that in `%r2`, and the buffer's
/// address in `%rd1`.
fn edits(body: &str, blocks: u32, threads: u32, bytes: u64) -> Vec<Advice> {
    let text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[4096];\n.visible .entry k(.param .u64 p)\n{{\n\
         .reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .f32 %f<8>;\n.reg .b64 %rd<8>;\nld.param.u64 %rd1, [p];\n\
         cvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r1, %tid.x;\nmov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n\
         shl.b32 %r2, %r1, 2;\nmov.u32 %r9, tile;\n{body}\nret;\n}}\n"
    );
    let module = Module::parse("k.ptx", &text).unwrap_or_else(|error| panic!("{error}"));
    let launch = Launch {
        grid: Dim3::linear(blocks),
        block: Dim3::linear(threads),
        shared_bytes: 0,
        args: vec![Arg::Zeros(bytes)],
    };
    advice::of(&module, "k", &launch, &Options::default(), &How::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// The first edit, with its counts.
fn first(advice: &[Advice]) -> Option<(Edit, u64, u64)> {
    advice.first().map(|one| (one.edit, one.before, one.after))
}

#[test]
fn a_column_of_a_tile_is_padded() {
    // Lane k reads word 32 k: one bank, 32 wavefronts. With a word free behind each row it is word 33 k: one wavefront.
    let body = "shl.b32 %r5, %r1, 7;\nadd.u32 %r5, %r9, %r5;\nst.shared.u32 [%r5], %r1;\nbar.warp.sync -1;\n\
                ld.shared.u32 %r6, [%r5];\ncvt.u64.u32 %rd2, %r2;\nadd.u64 %rd2, %rd1, %rd2;\nst.global.u32 [%rd2], %r6;";
    let advice = edits(body, 4, 32, 128);
    assert_eq!(first(&advice), Some((Edit::Pad, 4 * 64, 4 * 2)));
    let Some(Advice { counted: true, time: Some(time), then, .. }) = advice.first() else { panic!("{advice:?}") };
    assert!(time.after_us < time.before_us && then.contains("rows of 33 words"), "{time:?} {then}");
}

#[test]
fn threads_that_walk_are_interleaved() {
    // Thread t reads the eight words from 8 t on: a warp's access moves 32 sectors, eight of them 256. Together they are the
    // 32 sectors of 256 words.
    let body = "shl.b32 %r5, %r1, 5;\ncvt.u64.u32 %rd2, %r5;\nadd.u64 %rd2, %rd1, %rd2;\nmov.u32 %r7, 0;\nmov.u32 %r8, 0;\n\
                $L:\nld.global.u32 %r6, [%rd2];\nadd.u32 %r8, %r8, %r6;\nadd.u64 %rd2, %rd2, 4;\nadd.u32 %r7, %r7, 1;\n\
                setp.lt.u32 %p1, %r7, 8;\n@%p1 bra $L;\nst.shared.u32 [%r9], %r8;";
    assert_eq!(first(&edits(body, 2, 32, 1024)), Some((Edit::Interleave, 2 * 256, 2 * 32)));
}

#[test]
fn members_of_a_structure_are_read_at_once() {
    // Each member is 16 bytes from its neighbour's: 16 sectors for 32 lanes, four times the same.
    let load = |offset: u32| {
        format!("ld.global.u32 %r{}, [%rd2+{offset}];\nadd.u32 %r8, %r8, %r{};\n", 10 + offset / 4, 10 + offset / 4)
    };
    let body = format!(
        "shl.b32 %r5, %r1, 4;\ncvt.u64.u32 %rd2, %r5;\nadd.u64 %rd2, %rd1, %rd2;\nmov.u32 %r8, 0;\n{}{}{}{}st.shared.u32 [%r9], %r8;",
        load(0),
        load(4),
        load(8),
        load(12)
    );
    assert_eq!(first(&edits(&body, 2, 32, 512)), Some((Edit::Vectorise, 2 * 64, 2 * 16)));
}

#[test]
fn four_updates_side_by_side_are_one() {
    let update = |offset: u32| format!("red.global.add.f32 [%rd2+{offset}], 0f3F800000;\n");
    let body = format!(
        "shl.b32 %r5, %r1, 4;\ncvt.u64.u32 %rd2, %r5;\nadd.u64 %rd2, %rd1, %rd2;\n{}{}{}{}",
        update(0),
        update(4),
        update(8),
        update(12)
    );
    assert_eq!(first(&edits(&body, 1, 64, 1024)), Some((Edit::Vectorise, 8, 2)));
}

#[test]
fn updates_of_a_few_places_are_counted_in_shared_memory() {
    // 256 threads update 16 elements: 16 times each.
    let body = "and.b32 %r5, %r1, 15;\nshl.b32 %r5, %r5, 2;\ncvt.u64.u32 %rd2, %r5;\nadd.u64 %rd2, %rd1, %rd2;\n\
                red.global.add.u32 [%rd2], %r1;";
    assert_eq!(first(&edits(body, 4, 256, 64)), Some((Edit::Privatise, 1024, 64)));
}

#[test]
fn a_loop_of_one_lane_is_spread() {
    let body = "setp.ne.u32 %p1, %r1, 0;\n@%p1 bra $E;\nmov.u32 %r7, 0;\nmov.u64 %rd2, %rd1;\n$L:\nld.global.u32 %r6, [%rd2];\n\
                st.global.u32 [%rd2], %r6;\nadd.u64 %rd2, %rd2, 4;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p2, %r7, 64;\n\
                @%p2 bra $L;\n$E:";
    let advice = edits(body, 1, 32, 256);
    assert_eq!(advice.first().map(|one| one.edit), Some(Edit::Spread), "{advice:?}");
}

#[test]
fn nothing_is_said_of_a_copy_and_of_a_faulty_launch() {
    let copy =
        "cvt.u64.u32 %rd2, %r2;\nadd.u64 %rd2, %rd1, %rd2;\nld.global.u32 %r6, [%rd2];\nst.global.u32 [%rd2], %r6;";
    assert_eq!(edits(copy, 1, 64, 256), []);
    assert_eq!(edits(copy, 1, 64, 128), [], "half of the lanes miss the buffer");
}
