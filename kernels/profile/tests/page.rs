//! Pages of real launches, on both roads: every section and every counter is there, nothing is fetched, nothing becomes
//! markup that is not the page's own.

use std::collections::BTreeMap;

use advice::{Advice, Edit, Gain};
use caches::compulsory::LowerBound;
use kernels::native::Pair;
use kernels::{cubins, ptx};
use profile::{Gpu, Launch, Origin, Profile, page, whole};
use sim::machine_code::{self, Program};
use sim::observe::exact::EXACT;
use sim::{Arg, Dim3, Module, Options, Report, predict};

const KERNEL: &str = "scan_blelloch";
const FILE: &str = "scan.cu";

fn launch() -> sim::Launch {
    let ones = [1.0f32; 256];
    let args = vec![
        Arg::Zeros(1024),
        Arg::buffer_of(&ones),
        Arg::Bytes(256i32.to_le_bytes().to_vec()),
        Arg::Bytes(256i32.to_le_bytes().to_vec()),
    ];
    sim::Launch { grid: Dim3::from([1, 1, 1]), block: Dim3::from([128, 1, 1]), shared_bytes: 1024, args }
}

/// The launch over PTX, with its time and the details of its accesses.
fn over_ptx() -> Report {
    let module = Module::parse("scan.ptx", ptx::committed("scan").unwrap().text).unwrap();
    let options = Options { details: true, ..Options::default() };
    let mut report = sim::simulate(&module, KERNEL, &launch(), &options).unwrap().report;
    let how = predict::How { what_if: vec!["dram=x2".parse().unwrap()], ..predict::How::default() };
    report.prediction = Some(predict::predict(&module, KERNEL, &launch(), &options, &how).unwrap().prediction);
    report
}

/// The same over machine code.
fn over_machine_code() -> Report {
    let cubin = cubins::committed("scan", cubins::ARCH).unwrap();
    let program = Program::load(&cubin.bytes, KERNEL).unwrap();
    let how = predict::How::default();
    machine_code::simulate_timed(&program, &launch(), &Options::default(), &how).unwrap().0.report
}

fn sources() -> BTreeMap<String, String> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../cu/scan.cu");
    BTreeMap::from([(FILE.to_owned(), std::fs::read_to_string(file).unwrap())])
}

fn profile<'a>(reports: impl IntoIterator<Item = &'a Report>) -> Profile<'a> {
    let rates = |sectors, hits| caches::Lookups { sectors, hits };
    let hit_rates = Some(caches::HitRates { l1: rates(800, 200), l2: rates(600, 300), blocks: 8 });
    let bound = LowerBound { read_sectors: 32, written_sectors: 32, launch_us: 2.5, memory_us: 0.5 };
    let launch = |report| Launch { report, notes: &[], advice: None, hit_rates, lower_bound: Some(bound) };
    let launches = reports.into_iter().map(launch).collect();
    let ptx = Some(ptx::committed("scan").unwrap().text);
    Profile { title: "scan.ptx".to_owned(), launches, sources: sources(), ptx, ..Profile::default() }
}

/// Panics unless every element that is opened is closed in its order, and every link within the page goes somewhere.
fn well_formed(html: &str) {
    let (mut open, mut ids, mut links) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at..];
        let end = rest.find('>').expect("an element ends");
        let tag = &rest[1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
            continue;
        }
        let name = tag.split([' ', '/', '\n']).next().unwrap();
        for (attribute, into) in [(" id=\"", &mut ids), (" href=\"#", &mut links)] {
            if let Some((_, value)) = tag.split_once(attribute) {
                into.push(value.split('"').next().unwrap());
            }
        }
        if matches!(name, "!DOCTYPE" | "meta" | "br" | "input") || tag.ends_with('/') {
            continue;
        }
        if matches!(name, "script" | "style") {
            rest = &rest[rest.find(&format!("</{name}>")).expect("it ends") + name.len() + 3..];
            continue;
        }
        open.push(name);
    }
    assert!(open.is_empty(), "{open:?}");
    let count = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), count, "two elements have one name");
    for link in links {
        assert!(ids.binary_search(&link).is_ok(), "#{link} is nowhere");
    }
}

/// Nothing in the page makes a browser ask anybody.
fn fetches_nothing(html: &str) {
    let own = html.replace("http://www.w3.org/2000/svg", "");
    for forbidden in ["http://", "https://", "src=", "url(", "@import", "<link", "<img", "<iframe", "fetch(", "import("]
    {
        assert!(!own.contains(forbidden), "{forbidden}");
    }
}

#[test]
fn both_roads_have_every_section_and_every_counter() {
    let (of_ptx, of_code) = (over_ptx(), over_machine_code());
    assert!(of_ptx.is_clean() && of_code.is_clean());
    let html = page(&profile([&of_ptx, &of_code]));
    well_formed(&html);
    fetches_nothing(&html);
    for number in [1, 2] {
        for part in [
            "light",
            "warps",
            "occupancy",
            "memory",
            "least",
            "roofline",
            "mix",
            "advice",
            "source",
            "counters",
            "findings",
        ] {
            assert!(html.contains(&format!("<section class=\"part\" id=\"l{number}-{part}\"")), "{number} {part}");
        }
    }
    // Every counter that is not 0 stands in the table of its launch; those that are 0 are listed.
    let parts: Vec<&str> = html.split("<section class=\"launch\"").collect();
    assert_eq!(parts.len(), 3);
    for (report, part) in [(&of_ptx, parts[1]), (&of_code, parts[2])] {
        let cell = |name: &str, value: u64| format!("title=\"{name}\">{}</td>", whole(value));
        for counter in &EXACT {
            let value = report.metric(counter.metric);
            assert!(part.contains(&format!("<code>{}</code>", counter.metric)), "{}", counter.metric);
            if value > 0 {
                let row = format!("<th scope=\"row\">{}</th><td class=\"n\">{}</td>", counter.label, whole(value));
                assert!(part.contains(&row), "{row}");
            }
            // The tables of memory name them once more, with the same value.
            let named = format!("title=\"{}\">", counter.metric);
            assert_eq!(
                part.matches(&named).count(),
                part.matches(&cell(counter.metric, value)).count(),
                "{}",
                counter.metric
            );
        }
        assert!(part.contains(&cell(
            "smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum",
            report.metric("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum")
        )));
        for (name, value) in &report.estimates {
            assert!(
                part.contains(&format!("<code>{name}</code></th><td class=\"n\">{}</td>", whole(*value))),
                "{name}"
            );
        }
        let prediction = report.prediction.as_ref().unwrap();
        assert!(
            part.contains(&format!("{} bytes and is written", "</strong>"))
                && part.contains(&whole(prediction.dram_read_bytes))
        );
    }
    // Machine code has its instructions, its stream and its stalls.
    let code = of_code.machine_code.as_ref().unwrap();
    for (name, value) in code.counters.iter().filter(|(_, value)| **value > 0) {
        assert!(parts[2].contains(&format!("title=\"{name}\">{}</td>", whole(*value))), "{name}");
    }
    let rows = parts[2].split("aria-label=\"Machine code, to scroll\"").nth(1).unwrap();
    assert_eq!(rows.split("</tbody>").next().unwrap().matches("<tr ").count(), code.listing.len());
    assert!(
        parts[2].contains("the result of shared memory, a shuffle")
            && !parts[1].contains("aria-label=\"Machine code, to scroll\"")
    );
    assert!(parts[1].contains("dram=x2") && parts[1].contains("The accesses that cost most beyond the ideal"));
    // Lines have their text, their instructions and their PTX.
    let line = of_ptx
        .lines
        .iter()
        .max_by_key(|line| line.metrics.get("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared.sum"))
        .unwrap();
    let source = sources()[FILE]
        .lines()
        .nth(line.line as usize - 1)
        .unwrap()
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('&', "&amp;")
        .replace("&amp;lt;", "&lt;")
        .replace("&amp;gt;", "&gt;");
    let row = parts[1].split("<tr id=\"l1-s").find(|row| row.contains(&format!(">{}</a>", line.line))).unwrap();
    assert!(row.contains(&source), "{row}");
    assert!(html.contains("id=\"ptx\"") && html.matches(&format!("-{}\"", line.line)).count() > 2);
    for origin in Origin::ALL {
        assert!(html.contains(origin.meaning()), "{}", origin.name());
    }
}

#[test]
fn the_distance_from_the_least_is_told_for_each_resource() {
    let report = over_ptx();
    let of = |kinds: &[&str]| -> u64 {
        kinds.iter().map(|kind| report.metric(&format!("l1tex__t_sectors_pipe_lsu_mem_global_op_{kind}.sum"))).sum()
    };
    let (loads, writes) = (of(&["ld"]), of(&["st", "atom", "red"]));
    assert!(loads > 0 && writes > 0);
    let part = |profile: &Profile<'_>| {
        let html = page(profile);
        html.split("id=\"l1-least\"").nth(1).unwrap().split("</section>").next().unwrap().to_owned()
    };
    let mut profile = profile([&report]);
    let text = part(&profile);
    for (asked, least) in [(loads, 32), (writes, 32), (loads + writes, 64)] {
        let ratio = format!("<td class=\"n\">{:.2}</td>", asked as f64 / f64::from(least));
        assert!(
            text.contains(&format!("{} <span class=\"mark exact\"", whole(asked))) && text.contains(&ratio),
            "{text}"
        );
    }
    let predicted = report.prediction.as_ref().unwrap().us;
    assert!(text.contains(&format!("<td class=\"n\">{:.2}</td>", predicted / 3.0)), "{text}");
    assert!(!text.contains("Bulk copies") && !text.contains("mark measured"), "{text}");
    // What a GPU took is held against it, too; a launch whose sectors are not all counted says so.
    profile.gpu = Some(Gpu { median_us: Some(12.0), ..Gpu::default() });
    let more = LowerBound { read_sectors: 1 << 20, ..profile.launches[0].lower_bound.unwrap() };
    profile.launches[0].lower_bound = Some(more);
    let text = part(&profile);
    assert!(text.contains("<td class=\"n\">4.00</td>") && text.contains("mark measured"), "{text}");
    assert!(text.contains("Bulk copies"), "{text}");
    profile.launches[0].lower_bound = None;
    assert!(part(&profile).contains("was not computed"));
}

#[test]
fn what_the_kernel_or_its_file_says_stays_text() {
    let evil = "<script>alert(1)</script>\"'&";
    let mut report = over_ptx();
    report.kernel = evil.to_owned();
    report.printed.text = evil.to_owned();
    report.printed.calls = 1;
    let advice = [Advice {
        edit: Edit::Pad,
        file: FILE.to_owned(),
        line: report.lines[0].line,
        also: vec![],
        now: evil.to_owned(),
        then: evil.to_owned(),
        unit: "shared-memory wavefronts".to_owned(),
        before: 1234,
        after: 617,
        counted: true,
        time: Some(Gain { before_us: 10.0, after_us: 6.2 }),
    }];
    let mut own = profile([&report]);
    own.title = evil.to_owned();
    own.command = evil.to_owned();
    own.notes = vec![evil.to_owned()];
    own.launches[0].advice = Some(&advice);
    own.sources = BTreeMap::from([(FILE.to_owned(), format!("{evil}\n").repeat(400))]);
    let metric = "smsp__sass_inst_executed_op_shared_ld.sum";
    let pair = Pair { metric, label: "", unit: "", simulated: report.metric(metric), measured: 98_765 };
    own.gpu = Some(Gpu { name: evil.to_owned(), median_us: Some(7.5), sentences: vec![], counters: vec![pair] });
    let html = page(&own);
    well_formed(&html);
    fetches_nothing(&html);
    assert!(!html.contains("<script>alert") && html.matches("&lt;script&gt;alert(1)&lt;/script&gt;").count() > 10);
    assert_eq!(html.matches("<script").count(), 2);
    assert!(
        html.contains("1,234 → 617") && html.contains("−38 %") && html.contains("98,765") && html.contains("≠ differs")
    );
}

#[test]
fn what_was_not_asked_for_is_said() {
    let sampled = Report {
        prediction: over_ptx().prediction,
        metrics: BTreeMap::new(),
        kernel: KERNEL.to_owned(),
        target: "h200".to_owned(),
        ..Report::default()
    };
    let html = page(&profile([&sampled]));
    well_formed(&html);
    assert!(
        html.contains("nothing was counted")
            && html.contains("nothing was checked")
            && html.contains("No edit was tried")
    );
    let mut untimed = over_ptx();
    untimed.prediction = None;
    untimed.target = "k40".to_owned();
    let mut own = profile([&untimed]);
    own.launches[0].advice = Some(&[]);
    let html = page(&own);
    well_formed(&html);
    assert!(html.contains("No time was predicted") && html.contains("None of the edits that were tried would help"));
    assert!(html.contains("PTX does not tell how many registers") && html.contains("mark documented"));
    well_formed(&page(&Profile::default()));
}
