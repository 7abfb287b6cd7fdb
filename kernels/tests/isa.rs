//! The simulator against the record of an H200: every instruction form must give the same bits, approximate functions
//! the same value within the documented error bounds.

use kernels::isa::record::IsaRecord;
use kernels::isa::text::batches;
use kernels::isa::{functions, known, replay};
use kernels::{ptx, regenerate, testing};

fn record() -> IsaRecord {
    let committed = concat!(env!("CARGO_MANIFEST_DIR"), "/truth/isa.h200.tsv");
    let file = std::env::var("WARPBOOK_ISA_RECORD").unwrap_or_else(|_| committed.to_owned());
    let text = std::fs::read_to_string(&file).unwrap_or_else(|why| panic!("{file}: {why}"));
    IsaRecord::parse(&text).unwrap_or_else(|why| panic!("{file}: {why}"))
}

#[test]
fn every_form_gives_what_an_h200_gives() {
    let replay = replay::replay(&record());
    let list: Vec<String> =
        replay.differences.iter().filter(|d| known::reason(&d.probe).is_none()).map(ToString::to_string).collect();
    assert!(list.is_empty(), "{} differences:\n{}", list.len(), list.join("\n"));
    for (form, why) in known::KNOWN {
        let differs = replay.differences.iter().any(|difference| difference.probe.starts_with(form));
        assert!(differs, "`{form}` differs no more ({why}): take it off the list");
    }
    assert!(replay.equal > 7500 && replay.close > 100, "{} and {} probes", replay.equal, replay.close);
}

#[test]
fn the_functions_ptx_was_made_from_the_functions() {
    let header = ptx::Header::parse(functions::PTX).expect("a header");
    assert_eq!(header.source_sha256, ptx::sha256(&functions::source()), "the list has changed. run: cargo dev ptx");
    assert_eq!(header.nvrtc, kernels::setup::VERSION);
    if let Err(why) = regenerate::can_make() {
        return testing::not_run("making the functions' PTX again", &why);
    }
    let made = regenerate::make_functions().unwrap_or_else(|error| panic!("{error}"));
    assert!(made.ptx == functions::PTX, "kernels/{} differs. run: cargo dev ptx", functions::FILE);
}

/// Writes every kernel of the probes into the folder that `WARPBOOK_ISA_PTX` names, with its operands (a row per
/// source) and the names of its probes: for trying other compilers, and for finding out what an instruction computes.
#[test]
#[ignore = "writes files; wants a folder in WARPBOOK_ISA_PTX"]
fn write_the_probes() {
    let folder = std::env::var("WARPBOOK_ISA_PTX").expect("WARPBOOK_ISA_PTX names a folder");
    for (number, batch) in batches(kernels::isa::probes()).iter().enumerate() {
        std::fs::write(format!("{folder}/{number:03}.ptx"), batch.ptx()).expect("a writable folder");
        let first = &batch.probes[0];
        let rows = kernels::isa::operands::rows(first.style, &first.sources);
        let rows = rows.iter().map(|row| row.iter().map(|value| format!("{value:x} ")).collect::<String>() + "\n");
        let names = batch.probes.iter().map(|probe| probe.name.clone() + "\n");
        let text: String = rows.chain(["\n".to_owned()]).chain(names).collect();
        std::fs::write(format!("{folder}/{number:03}.txt"), text).expect("a writable folder");
    }
}
