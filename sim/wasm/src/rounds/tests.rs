use serde_json::json;

use super::*;

/// Each of the first `count` threads adds the word of the thread `count` places on to its own, and `count` halves.
const TREE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 tile[32];\n\
    .visible .entry k(.param .u64 out)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 %rd<4>;\n\
    mov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\n\
    st.shared.u32 [%r4], %r1;\nmov.u32 %r5, 4;\n$L:\nbar.sync 0;\nsetp.ge.u32 %p1, %r1, %r5;\n@%p1 bra $N;\n\
    shl.b32 %r6, %r5, 2;\nadd.u32 %r7, %r4, %r6;\nld.shared.u32 %r8, [%r7];\nld.shared.u32 %r9, [%r4];\n\
    add.u32 %r10, %r8, %r9;\nst.shared.u32 [%r4], %r10;\n$N:\nshr.u32 %r5, %r5, 1;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra $L;\n\
    ld.param.u64 %rd1, [out];\nsetp.ne.u32 %p3, %r1, 0;\n@%p3 bra $E;\nld.shared.u32 %r11, [tile];\n\
    atom.global.add.u32 %r12, [%rd1], %r11;\n$E:\nret;\n}\n";

fn played(by: &str) -> Result<Played, Failure> {
    let request = json!({
        "buffers": [{"name": "out", "element": "u32", "count": 1, "content": {"values": [5]}}],
        "launches": [{"kernel": "k", "grid": [1], "block": [8], "args": [{"buffer": "out"}]}],
        "arrays": [{"name": "tile", "element": "u32", "count": 8}, {"name": "out", "buffer": "out", "element": "u32", "count": 1}],
        "by": by,
    });
    rounds(&Module::parse("k.ptx", TREE).unwrap(), &serde_json::from_value(request).unwrap())
}

#[test]
fn a_tree_appears_from_the_events() {
    let played = played("barrier").unwrap();
    assert_eq!(played.arrays[0].values, vec![""; 8]);
    assert_eq!(played.arrays[1].values, ["5"]);
    let told: Vec<Vec<(usize, u32, Vec<usize>)>> = played
        .rounds
        .iter()
        .map(|round| {
            let tile = round.writes.iter().filter(|write| write.array == 0);
            tile.map(|write| (write.element, write.thread, write.from.iter().map(|&(_, from)| from).collect()))
                .collect()
        })
        .collect();
    assert_eq!(told[0], (0..8).map(|t| (t as usize, t, vec![])).collect::<Vec<_>>());
    assert_eq!(told[1], (0..4).map(|t| (t as usize, t, vec![t as usize, t as usize + 4])).collect::<Vec<_>>());
    assert_eq!(told[2], (0..2).map(|t| (t as usize, t, vec![t as usize, t as usize + 2])).collect::<Vec<_>>());
    assert_eq!(told[3], [(0, 0, vec![0, 1])]);
    let after: Vec<&str> = played.rounds[2].after[0].iter().map(String::as_str).collect();
    assert_eq!(after, ["12", "16", "8", "10", "4", "5", "6", "7"]);
    let last = played.rounds.last().unwrap();
    assert_eq!((&*last.after[0][0], &*last.after[1][0]), ("28", "33"));
    assert!(last.writes.iter().any(|write| write.atomic && write.array == 1 && write.from == [(0, 0)]));
}

#[test]
fn rounds_end_where_they_are_said_to() {
    let number = |by: &str| played(by).unwrap().rounds.len();
    assert_eq!((number("barrier"), number("store"), number("launch")), (4, 5, 1));
    let all = &played("launch").unwrap().rounds[0];
    assert_eq!((all.writes.len(), &*all.after[1][0]), (8 + 4 + 2 + 1 + 1, "33"));
}

#[test]
fn values_of_other_lanes_are_refused() {
    let ptx = TREE
        .replace("add.u32 %r10, %r8, %r9;", "shfl.sync.idx.b32 %r10, %r8, 0, 31, -1;")
        .replace("mov.u32 %r5, 4;", "mov.u32 %r5, 1;");
    let request = json!({
        "buffers": [{"name": "out", "element": "u32", "count": 1, "content": "zeros"}],
        "launches": [{"kernel": "k", "grid": [1], "block": [8], "args": [{"buffer": "out"}]}],
        "arrays": [{"name": "tile", "element": "u32", "count": 8}],
    });
    let refused = rounds(&Module::parse("k.ptx", &ptx).unwrap(), &serde_json::from_value(request).unwrap());
    assert!(refused.is_err());
}
