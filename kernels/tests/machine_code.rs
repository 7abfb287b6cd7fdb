//! Our decoder of machine code beside nvdisasm: every PTX of the repository is assembled on the spot, and each instruction
//! must read as nvdisasm prints it, each line table as it shows it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use kernels::isa::text::{Batch, batches};
use kernels::lowering::Tools;
use kernels::testing::not_run;
use rayon::prelude::*;
use sass::operand::{Register, Value};
use sass::{Architecture, Cubin, Instruction};

/// Set to anything, it makes the comparison write `sim/sass/tests/forms/*.tsv` anew.
const BLESS: &str = "WARPBOOK_BLESS";
/// Names a folder of other PTX files, for `a_folder_of_ptx`.
const FOLDER: &str = "WARPBOOK_SASS_PTX";

/// What nvdisasm shows as words alone, though ptxas makes it: an architecture and an opcode.
const UNSHOWN: [(&str, u16); 1] = [("sm_75", 0x23e)];

/// A distinct encoding: where it stood, and what it is.
struct Seen {
    origin: String,
    encoding: u128,
}

#[test]
fn every_instruction_reads_as_nvdisasm_prints_it() {
    let Some(tools) = tools("machine code beside nvdisasm") else { return };
    let sources = repository();
    let seen = collect(&assemble(&tools, &sources, "sm_90"));
    assert!(seen.len() > 60_000, "only {} distinct instructions", seen.len());
    bless("sm90", &compare(&tools, &seen, "sm_90"), Architecture::Sm90);
    // What `sm_90a` makes differently of the book's kernels reads alike.
    let book = sources.iter().filter(|(name, _)| name.starts_with("kernels/ptx")).cloned().collect::<Vec<_>>();
    compare(&tools, &collect(&assemble(&tools, &book, "sm_90a")), "sm_90a");
}

/// For other GPUs every fourth source, as far as they can run it, and the probes of all forms of PTX that they have: every
/// fourth batch of them where another GPU has the same table.
#[test]
fn instructions_of_other_gpus_read_as_nvdisasm_prints_them() {
    let Some(tools) = tools("machine code of other GPUs beside nvdisasm") else { return };
    let sources = repository().into_iter().filter(|(name, _)| !name.starts_with("probes"));
    let sources: Vec<_> = sources.step_by(4).collect();
    let probes = batches(kernels::isa::probes());
    for (arch, file) in [
        ("sm_75", Some("sm75")),
        ("sm_80", Some("sm80")),
        ("sm_86", None),
        ("sm_89", Some("sm89")),
        ("sm_100", Some("sm100")),
        ("sm_103", None),
        ("sm_110", None),
        ("sm_120", Some("sm120")),
        ("sm_121", None),
    ] {
        let others: Vec<_> = sources.iter().map(|(name, text)| (name.clone(), retarget(text, arch))).collect();
        let mut cubins = assemble(&tools, &others, arch);
        let some: Vec<_> = probes.iter().step_by(if file.is_some() { 1 } else { 4 }).collect();
        cubins.par_extend(some.par_iter().flat_map_iter(|batch| those_it_has(&tools, batch, arch)));
        let seen = collect(&cubins);
        assert!(seen.len() > 3_000, "only {} distinct instructions for {arch}", seen.len());
        let forms = compare(&tools, &seen, arch);
        println!("{arch}: all {} distinct instructions read as nvdisasm prints them", seen.len());
        if let Some(file) = file {
            bless(file, &forms, architecture(arch));
        }
    }
}

/// The probes of a batch that another GPU has: all but those of which ptxas names a line; where it names none, halves are tried
/// until one probe alone is left.
fn those_it_has(tools: &Tools, batch: &Batch, arch: &str) -> Vec<(String, Vec<u8>)> {
    let why = match tools.assemble("probes", &retarget(&batch.ptx(), arch), arch) {
        Ok(cubin) => return vec![(format!("probes from {}", batch.probes[0].name), cubin)],
        Err(why) => why.to_string(),
    };
    // `ptxas kernel.ptx, line 41; error   : …`
    let number = |rest: &str| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok();
    let refused: BTreeSet<usize> =
        why.split(", line ").skip(1).filter_map(number).filter_map(|line| batch.of_line(line)).collect();
    let probes = &batch.probes;
    let parts: Vec<Vec<_>> = if refused.is_empty() && probes.len() > 1 {
        probes.chunks(probes.len().div_ceil(2)).map(<[_]>::to_vec).collect()
    } else if refused.is_empty() {
        Vec::new()
    } else {
        let kept = probes.iter().enumerate().filter(|(at, _)| !refused.contains(at));
        vec![kept.map(|(_, probe)| probe.clone()).collect()]
    };
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    parts.flat_map(|probes| those_it_has(tools, &Batch { probes }, arch)).collect()
}

/// The PTX for another GPU, which may lack some of its instructions.
fn retarget(text: &str, arch: &str) -> String {
    let line = |line: &str| if line.starts_with(".target ") { format!(".target {arch}") } else { line.to_owned() };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

fn architecture(arch: &str) -> Architecture {
    let number = arch.trim_start_matches("sm_").trim_end_matches('a');
    number.parse().ok().and_then(Architecture::of).unwrap_or_else(|| panic!("there is no table for {arch}"))
}

#[test]
#[ignore = "wants a folder of PTX in WARPBOOK_SASS_PTX"]
fn a_folder_of_ptx() {
    let tools = Tools::find().unwrap_or_else(|why| panic!("{why}"));
    let folder = env::var(FOLDER).expect("WARPBOOK_SASS_PTX names a folder");
    let mut sources = Vec::new();
    ptx_below(Path::new(&folder), &mut sources);
    let seen = collect(&assemble(&tools, &sources, "sm_90"));
    println!("{} files, {} distinct instructions", sources.len(), seen.len());
    compare(&tools, &seen, "sm_90");
}

#[test]
fn lines_and_resources_of_the_books_kernels_are_read() {
    let Some(tools) = tools("line tables of machine code beside nvdisasm") else { return };
    for problem in kernels::problem::all() {
        let committed = kernels::ptx::committed(problem.name).expect("the PTX of a problem");
        let bytes = tools.assemble(problem.name, committed.text, "sm_90").unwrap_or_else(|why| panic!("{why}"));
        let cubin = Cubin::parse(&bytes).unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(cubin.capability, 90);
        for ptx in [false, true] {
            let shown = tools.disassemble_lines(&bytes, ptx, "sm_90").unwrap_or_else(|why| panic!("{why}"));
            let ours = |code: &sass::cubin::Code, offset| {
                let line = if ptx { code.ptx_line(offset) } else { code.line(offset) };
                line.map_or((String::new(), 0), |line| {
                    (if ptx { String::new() } else { line.file.to_string() }, line.line)
                })
            };
            let mut instructions = 0;
            for (kernel, offset, file, line) in shown_lines(&shown) {
                let code = cubin.sections.iter().find(|code| code.name == kernel).expect("a section of each kernel");
                assert_eq!(ours(code, offset), (file, line), "{kernel} at {offset:#x}");
                instructions += 1;
            }
            assert!(instructions > 20, "{}: {instructions} instructions", problem.name);
        }
        for code in &cubin.sections {
            let resources = &code.resources;
            let (start, size) = resources.parameters_at.expect("parameters");
            let end = resources.parameters.iter().map(|p| u32::from(p.offset) + p.size).max().unwrap_or(0);
            assert_eq!((start, u32::from(size)), (0x210, end), "{}", code.name);
            assert!((8..=255).contains(&resources.registers), "{}: {resources:?}", code.name);
            assert!(code.functions.iter().any(|function| function.entry && function.name == code.name));
        }
        assert!(cubin.ptx.is_some_and(|ptx| ptx.contains(".target")), "{}", problem.name);
    }
}

fn tools(what: &str) -> Option<Tools> {
    Tools::find().map_err(|why| not_run(what, &why.to_string())).ok()
}

/// Every PTX file of the repository, and the probes of all instruction forms.
fn repository() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the repository");
    let mut sources = Vec::new();
    for folder in ["kernels/ptx", "kernels/claims", "kernels/isa", "book/listings", "sim/benches", "sim/tests"] {
        ptx_below(&root.join(folder), &mut sources);
    }
    for (name, _) in &mut sources {
        *name = name.strip_prefix(&format!("{}/", root.display())).unwrap_or(name).to_owned();
    }
    let probes = batches(kernels::isa::probes());
    sources.extend(probes.iter().enumerate().map(|(number, batch)| (format!("probes {number}"), batch.ptx())));
    sources
}

fn ptx_below(folder: &Path, sources: &mut Vec<(String, String)>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            ptx_below(&path, sources);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            let text = fs::read_to_string(&path).unwrap_or_else(|why| panic!("{}: {why}", path.display()));
            sources.push((path.display().to_string(), text));
        }
    }
}

/// The cubins of sources. Some of them need another architecture, or are wrong on purpose.
fn assemble(tools: &Tools, sources: &[(String, String)], arch: &str) -> Vec<(String, Vec<u8>)> {
    let cubin = |(name, text): &(String, String)| Some((name.clone(), tools.assemble(name, text, arch).ok()?));
    let cubins: Vec<_> = sources.par_iter().filter_map(cubin).collect();
    let (all, refused) = (sources.len(), sources.len() - cubins.len());
    assert!(refused * 2 < all, "ptxas refuses {refused} of {all} sources for {arch}");
    cubins
}

/// Each encoding of cubins once; control bits other than the reuse flags do not count.
fn collect(cubins: &[(String, Vec<u8>)]) -> Vec<Seen> {
    const SCHEDULE: u128 = ((1 << 122) - (1 << 105)) & !(1 << 109);
    let mut seen = HashMap::<u128, Seen>::new();
    for (name, bytes) in cubins {
        let cubin = Cubin::parse(bytes).unwrap_or_else(|why| panic!("{name}: {why}"));
        for code in &cubin.sections {
            for (number, bytes) in code.bytes.as_chunks::<16>().0.iter().enumerate() {
                let encoding = u128::from_le_bytes(*bytes);
                let origin = || format!("{name}, {} at {:#x}", code.name, number * 16);
                seen.entry(encoding & !SCHEDULE).or_insert_with(|| Seen { origin: origin(), encoding });
            }
        }
    }
    let mut seen: Vec<Seen> = seen.into_values().collect();
    seen.sort_by_key(|seen| (seen.encoding & 0xfff, seen.encoding));
    seen
}

/// Holds every instruction against nvdisasm; returns one of each form, with its offset.
fn compare(tools: &Tools, seen: &[Seen], arch: &str) -> Vec<(u128, u64, String)> {
    let code: Vec<u8> = seen.iter().flat_map(|seen| seen.encoding.to_le_bytes()).collect();
    let shown = tools.disassemble_code(&code, arch).unwrap_or_else(|why| panic!("{why}"));
    let texts: HashMap<u64, String> = shown_code(&shown).into_iter().collect();
    let unshown = (0..).step_by(16).zip(seen).filter(|(offset, _)| !texts.contains_key(offset));
    for (_, seen) in unshown {
        let opcode = (seen.encoding & 0xfff) as u16;
        assert!(UNSHOWN.contains(&(arch, opcode)), "{arch}: nvdisasm does not show {:032x}", seen.encoding);
    }
    assert!(texts.len() <= seen.len(), "{arch}: nvdisasm shows {} instructions, not {}", texts.len(), seen.len());
    let mut different = BTreeMap::<u16, Vec<String>>::new();
    let mut forms = BTreeMap::new();
    for (offset, seen) in (0..).step_by(16).zip(seen) {
        let Some(text) = texts.get(&offset) else { continue };
        let decoded = sass::decode(architecture(arch), seen.encoding.to_le_bytes(), offset);
        let ours = decoded.as_ref().map_or_else(ToString::to_string, ToString::to_string);
        if ours != *text {
            let line = format!("{:032x}  nvdisasm: {text}  ours: {ours}  ({})", seen.encoding, seen.origin);
            different.entry((seen.encoding & 0xfff) as u16).or_default().push(line);
        } else if let Ok(instruction) = decoded {
            forms.entry(form(&instruction)).or_insert((seen.encoding, offset, text.clone()));
        }
    }
    let mut message = String::new();
    for (opcode, lines) in &different {
        let first: Vec<&str> = lines.iter().take(3).map(String::as_str).collect();
        let _ = writeln!(message, "opcode {opcode:#05x}: {} differ\n  {}", lines.len(), first.join("\n  "));
    }
    assert!(different.is_empty(), "of {} distinct instructions for {arch}:\n{message}", seen.len());
    forms.into_values().collect()
}

/// What makes two instructions the same form: opcode, modifiers, and the kinds of their operands.
fn form(instruction: &Instruction) -> (u16, String, Vec<String>) {
    let kinds = instruction.operands.iter().map(|operand| {
        let kind = match &operand.value {
            Value::Register(Register::Thread(_) | Register::Zero) => "R".to_owned(),
            Value::Register(_) => "UR".to_owned(),
            Value::Named(name) => (*name).to_owned(),
            Value::Address(address) => {
                let (base, uniform) = (address.base.is_some(), address.uniform.is_some());
                format!("[{base} {} {uniform} {} {}]", address.kind, address.descriptor.is_some(), address.offset != 0)
            }
            other => format!("{other:?}").split(['(', ' ']).next().unwrap_or_default().to_owned(),
        };
        format!("{kind}{}{:?}{}{}", operand.part, operand.negate, operand.absolute, operand.not)
    });
    (instruction.encoding.opcode(), instruction.opcode(), kinds.collect())
}

fn bless(name: &str, forms: &[(u128, u64, String)], architecture: Architecture) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../sim/sass/tests/forms/{name}.tsv"));
    if env::var_os(BLESS).is_none() {
        return;
    }
    let mut text =
        "# Encoding, offset and text (by nvdisasm) of one instruction of every form that the repository's PTX has.\n\
                    # WARPBOOK_BLESS=1 cargo test -p kernels --test machine_code\n"
            .to_owned();
    let mut written = BTreeSet::new();
    for (encoding, offset, form) in forms {
        // Offsets matter where something is relative to the instruction.
        let relative = sass::decode(architecture, encoding.to_le_bytes(), 0).is_ok_and(|i| i.to_string() != *form);
        let offset = if relative { *offset } else { 0 };
        if written.insert(encoding) {
            let _ = writeln!(text, "{encoding:032x}\t{offset:x}\t{form}");
        }
    }
    fs::write(&file, text).unwrap_or_else(|why| panic!("{}: {why}", file.display()));
}

/// Offset and text of what nvdisasm prints with `-hex`.
fn shown_code(shown: &str) -> Vec<(u64, String)> {
    let line = |line: &str| {
        let (offset, rest) = line.trim().strip_prefix("/*")?.split_once("*/")?;
        let (text, _) = rest.split_once(';')?;
        Some((u64::from_str_radix(offset, 16).ok()?, text.trim().to_owned()))
    };
    shown.lines().filter_map(line).collect()
}

/// Kernel, offset, file and line of every instruction that nvdisasm prints with lines.
fn shown_lines(shown: &str) -> Vec<(String, u64, String, u32)> {
    let (mut kernel, mut place) = (String::new(), (String::new(), 0));
    let mut all = Vec::new();
    for text in shown.lines().map(str::trim) {
        if let Some(section) = text.strip_prefix(".section\t.text.") {
            kernel = section.split(',').next().unwrap_or_default().to_owned();
            place = (String::new(), 0);
        } else if let Some(rest) = text.strip_prefix("//## File \"") {
            let (file, rest) = rest.split_once('"').unwrap_or_default();
            let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
            // nvdisasm calls the PTX of the cubin by its section.
            let file = if file == ".nv_debug_ptx_txt" { "" } else { file };
            place = (file.to_owned(), digits.parse().unwrap_or(0));
        } else if let Some((offset, _)) = text.strip_prefix("/*").and_then(|text| text.split_once("*/"))
            && let Ok(offset) = u64::from_str_radix(offset, 16)
        {
            all.push((kernel.clone(), offset, place.0.clone(), place.1));
        }
    }
    all
}
