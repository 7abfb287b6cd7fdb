use serde_json::json;

use super::*;

/// Each block of one thread waits until the one before it has left its word, adds its number and leaves the sum; then it writes
/// its element of the table.
const CHAIN: &str = ".version 8.0\n.target sm_90\n.address_size 64\n\
    .visible .entry k(.param .u64 table, .param .u64 words)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<8>;\n\
    ld.param.u64 %rd1, [table];\nld.param.u64 %rd2, [words];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r5, 0;\n\
    mul.wide.u32 %rd3, %r1, 4;\nadd.s64 %rd4, %rd2, %rd3;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra $D;\n\
    $L:\nld.relaxed.gpu.global.u32 %r5, [%rd4+-4];\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 bra $L;\n\
    $D:\nadd.u32 %r6, %r5, 1;\nst.relaxed.gpu.global.u32 [%rd4], %r6;\nadd.s64 %rd5, %rd1, %rd3;\n\
    st.global.u32 [%rd5], %r6;\nret;\n}\n";

fn run(ptx: &str, seed: u64, height: u64) -> Result<Waves, Failure> {
    let buffer = |name: &str| json!({"name": name, "element": "u32", "count": "n", "content": "zeros"});
    let request = json!({
        "let": {"n": 6}, "buffers": [buffer("table"), buffer("words")], "seed": seed,
        "launches": [{"kernel": "k", "grid": ["n"], "block": [1], "args": [{"buffer": "table"}, {"buffer": "words"}]}],
        "table": {"buffer": "table", "width": "n/2", "height": height, "tile": [1, 1]},
    });
    waves(&Module::parse("k.ptx", ptx).unwrap(), &serde_json::from_value(request).unwrap())
}

#[test]
fn a_chain_of_blocks_is_a_wave_for_each_tile() {
    for seed in [0, 1, 2, 3] {
        let seen = run(CHAIN, seed, 2).unwrap();
        assert_eq!(seen.across, 3);
        let told: Vec<(u64, usize, Vec<usize>)> =
            seen.tiles.iter().map(|tile| (tile.block, tile.wave, tile.reads.clone())).collect();
        let chain = (0..6_usize).map(|at| (at as u64, at, at.checked_sub(1).into_iter().collect()));
        assert_eq!(told, chain.collect::<Vec<_>>(), "order {seed}");
        let mut places: Vec<usize> = seen.tiles.iter().map(|tile| tile.place).collect();
        places.sort_unstable();
        assert_eq!(places, [0, 1, 2, 3, 4, 5]);
        assert_eq!(seen.tiles[0].early, 0);
    }
    // In the plain order no block looks too early; in another one some do.
    let early = |seed| run(CHAIN, seed, 2).unwrap().tiles.iter().map(|tile| tile.early).sum::<u64>();
    assert_eq!(early(0), 0);
    assert!((1..8).any(|seed| early(seed) > 0));
}

#[test]
fn blocks_that_wait_for_nobody_are_one_wave() {
    let alone = CHAIN.replace("@%p1 bra $D;", "bra $D;");
    let seen = run(&alone, 0, 2).unwrap();
    assert!(seen.tiles.iter().all(|tile| tile.wave == 0 && tile.reads.is_empty() && tile.early == 0));
}

#[test]
fn a_tile_that_nobody_writes_is_told() {
    assert!(run(CHAIN, 0, 3).unwrap_err().message.contains("tile 6 is never written"));
    assert!(run(CHAIN, 0, 30).unwrap_err().message.contains("there may be 1 to 64"));
}
