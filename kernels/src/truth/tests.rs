use super::*;

/// A record that fits `cases`, with every exact counter of the i-th case being i.
pub(crate) fn synthetic(problem: &str, cases: &[Case]) -> Record {
    let resources = Resources {
        registers: 22,
        shared_static: 0,
        local_bytes: 0,
        blocks_per_sm: 2,
        warps_per_sm: 64,
        warps_limit: 64,
    };
    let case = |(i, case): (usize, &Case)| {
        let launch = |(kernel, shape, times): (&'static str, Shape, u32)| LaunchRecord {
            kernel: kernel.to_owned(),
            shape,
            times,
            metrics: crate::counters::EXACT.iter().map(|c| (c.metric.to_owned(), i as u64)).collect(),
            ranges: BTreeMap::new(),
            context: Metrics::from([("gpu__time_duration.sum".to_owned(), 2464)]),
            resources,
        };
        CaseRecord {
            version: case.version.to_owned(),
            case: case.name.clone(),
            outputs: vec![Output { buffer: "out".to_owned(), bytes: 4, blake3: format!("{i:064x}") }],
            right: true,
            max_error: 0.1 + i as f64,
            times: Times { median_ns: 2500, min_ns: 2400, max_ns: 9000, runs: 20 },
            launches: alike(&case.launches).into_iter().map(launch).collect(),
        }
    };
    Record {
        schema: SCHEMA,
        problem: problem.to_owned(),
        provenance: Provenance {
            gpu: "NVIDIA H200".to_owned(),
            compute_capability: "9.0".to_owned(),
            sm_count: 132,
            driver: "580.95.05".to_owned(),
            cuda: "13.0".to_owned(),
            ncu: "2025.3.1.0".to_owned(),
            nvrtc: "13.0.88".to_owned(),
            code_sha256: "p".to_owned(),
            source_sha256: "s".to_owned(),
            ptx_version: None,
            date: "2026-11-21".to_owned(),
            warpbook: "0.1.0".to_owned(),
        },
        counters: crate::counters::EXACT.iter().map(|c| c.metric.to_owned()).collect(),
        profiles: 1,
        cases: cases.iter().enumerate().map(case).collect(),
    }
}

#[test]
fn writing_what_was_read_gives_the_same_bytes() {
    let cases = crate::cases::all();
    let record = synthetic("scan", &cases);
    let text = record.to_json();
    let read = Record::from_json("test", &text).unwrap();
    assert_eq!(read, record);
    assert_eq!(read.to_json(), text);
    assert_eq!(
        text.lines().filter(|line| line.contains("\"version\": \"") || line.contains("\"version\":\"")).count(),
        cases.len()
    );
    assert!(text.contains("\"counters\": [") && read.cases[0].metric(crate::counters::EXACT[0].metric) == Some(0));
    assert_eq!(record.file_name(), "scan.h200.json");
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}

#[test]
fn ranges_are_kept_and_added_up_over_the_launches() {
    let cases = crate::cases::select(&["tile 64, 1 block"]).unwrap();
    let mut record = synthetic("scan", &cases);
    assert_eq!(record.cases[2].range(crate::counters::EXACT[3].metric), None);
    record.profiles = 3;
    let metric = crate::counters::EXACT[3].metric;
    record.cases[2].launches[0].ranges.insert(metric.to_owned(), [2, 9]);
    let again = record.cases[2].launches[0].clone();
    record.cases[2].launches.push(LaunchRecord { ranges: BTreeMap::new(), ..again });
    let text = record.to_json();
    assert!(text.contains("\n  \"profiles\": 3,\n  \"cases\": ["), "{text}");
    let read = Record::from_json("test", &text).unwrap();
    assert_eq!(read, record);
    // The other launch was the same in all profiles: 2.
    assert_eq!(read.cases[2].range(metric), Some([4, 11]));
}

#[test]
fn other_layouts_and_other_files_are_refused() {
    let error = Record::from_json("x.json", r#"{"schema": 9, "problem": "scan"}"#).unwrap_err().to_string();
    assert!(error.contains("layout 9") && error.contains("warpbook record scan"), "{error}");
    assert!(Record::from_json("x.json", "[]").unwrap_err().to_string().starts_with("x.json is not a record"));
    assert!(matches!(Record::read(Path::new("no such file")), Err(TruthError::Read { .. })));
}

#[test]
fn the_records_in_this_program_are_whole() {
    for record in records().unwrap() {
        let cases: Vec<Case> = crate::cases::all().into_iter().filter(|c| c.problem == record.problem).collect();
        assert_eq!(record.cases.len(), cases.len(), "{}", record.file_name());
        assert!(cases.iter().all(|case| record.case(case).is_some()));
        assert!(FILES.iter().any(|(file, text)| *file == record.file_name() && *text == record.to_json()));
    }
}
