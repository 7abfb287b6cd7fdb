//! What the pages of the book have done by the program that serves them: compiling, and judging exercises as
//! `warpbook exercise check` does.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use exercises::service::Service;
use kernels::testing::compiler_for;
use serde_json::{Value, json};

#[path = "shared/course.rs"]
mod course;

fn service(course: Option<PathBuf>) -> Service {
    Service::new(env!("CARGO_BIN_EXE_warpbook").into(), course)
}

fn ask(service: &Service, operation: &str, request: &Value) -> Value {
    let answer = service.answer(operation, request.to_string().as_bytes()).unwrap();
    serde_json::from_str(&answer).unwrap()
}

/// `warpbook exercise check FILE --json`: the grade.
fn checked(course: &Path, file: &Path) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
    let output = command.args(["exercise", "check", "--json"]).arg(file).current_dir(course).output().unwrap();
    serde_json::from_slice::<Value>(&output.stdout).unwrap()["grades"][0].clone()
}

/// A grade without the path of the file, which a page has none of.
fn without_path(grade: &Value, file: &Path) -> Value {
    let bare = file.file_name().unwrap().to_string_lossy();
    // The command knows the file by its path from where it was called.
    let shown = format!("handed/{bare}");
    serde_json::from_str(&grade.to_string().replace(&*file.to_string_lossy(), &bare).replace(&shown, &bare)).unwrap()
}

#[test]
fn a_source_becomes_ptx_or_messages_at_its_lines() {
    if !compiler_for("compiling for pages") {
        return;
    }
    let service = service(None);
    let source = "// warpbook: arch=compute_75\nextern \"C\" __global__ void a(int *o) { o[threadIdx.x] = 1; }\n\
                  extern \"C\" __global__ void b(int *o) { int unused; o[0] = 2; }\n";
    let both = &ask(&service, "compile", &json!({"name": "ab.cu", "source": source}))["ok"];
    let text = both["ptx"].as_str().unwrap();
    assert!(text.contains(".entry a(") && text.contains(".entry b(") && text.contains(".target sm_75"), "{text}");
    assert_eq!(both["lines"][0]["line"], 3, "{both}");
    assert_eq!(both["lines"][0]["severity"], "warning");
    let one = &ask(&service, "compile", &json!({"name": "ab.cu", "source": source, "kernels": ["b"]}))["ok"]["ptx"];
    assert!(!one.as_str().unwrap().contains(".entry a("), "{one}");
    let wrong = &ask(&service, "compile", &json!({"name": "ab.cu", "source": format!("{source}nonsense;\n")}))["error"];
    let first = wrong["lines"].as_array().unwrap().iter().find(|own| own["severity"] == "error").unwrap();
    assert_eq!((&wrong["kind"], &first["line"]), (&json!("rejected"), &json!(4)), "{wrong}");
    // What strangers write is compiled so: nothing of the machine's can be read, and nothing keeps it busy.
    let file = ask(&service, "compile", &json!({"name": "ab.cu", "source": "#include \"/etc/passwd\"\n"}));
    assert!(file["error"]["message"].as_str().unwrap().contains("no file by a path"), "{file}");
    let bomb = "template <int N> struct A { static const int v = A<N - 1>::v + A<N - 2>::v; };\n#include \"ab.cu\"\n";
    let bomb = ask(&service, "compile", &json!({"name": "ab.cu", "source": bomb}));
    assert!(bomb["error"]["kind"] == "rejected" || bomb["error"]["kind"] == "stopped", "{bomb}");
}

#[test]
fn a_page_hears_what_the_command_says() {
    if !compiler_for("judging for pages") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    course::copy(folder.path());
    let exercises = folder.path().join("exercises");
    let service = service(Some(exercises.clone()));
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("exercises");
    let handed = folder.path().join("handed");
    fs::create_dir(&handed).unwrap();
    let mut sample: Vec<(&str, String)> = Vec::new();
    for name in ["block_sum", "first_negative"] {
        let starter = &ask(&service, "starter", &json!({"exercise": name}))["ok"]["text"];
        sample.push((name, starter.as_str().unwrap().to_owned()));
        sample.push((name, fs::read_to_string(own.join(format!("solutions/00_machine/{name}.cu"))).unwrap()));
        for kind in ["wrong", "right"] {
            let mut files: Vec<PathBuf> = fs::read_dir(own.join(kind).join("00_machine").join(name))
                .unwrap()
                .map(|e| e.unwrap().path())
                .collect();
            files.sort();
            sample.extend(files.iter().take(2).map(|file| (name, fs::read_to_string(file).unwrap())));
        }
    }
    sample.push(("block_sum", "nonsense;\n".to_owned()));
    sample.push(("block_sum", "extern \"C\" __global__ void block_sum(int *o) { for (;;) o[0] = 1; }\n".to_owned()));
    sample.push(("stride_costs", "wavefronts-2: 4\nwavefronts-32: skip\nwavefronts-33: 33\nsectors-2: 4\n".to_owned()));
    let (mut passed, mut failed) = (0, 0);
    for (name, text) in &sample {
        let ending = if *name == "stride_costs" { "txt" } else { "cu" };
        let file = handed.join(format!("{name}.{ending}"));
        fs::write(&file, text).unwrap();
        // First: the command writes down what it has judged.
        let page = ask(&service, "check", &json!({"exercise": name, "text": text}));
        let page = page.get("ok").unwrap_or_else(|| panic!("{name}: {page}\n{text}"));
        let command = checked(folder.path(), &file);
        assert_eq!(page["grade"], without_path(&command, &file), "{name}:\n{text}");
        assert_eq!(page["passed"], command["passed"]);
        if page["passed"] == true {
            passed += 1;
            assert!(page["progress"].as_str().unwrap().contains(&format!("done {name}")), "{page:#}");
        } else {
            failed += 1;
            let said = page["text"].as_str().unwrap();
            assert!(said.contains("not yet"), "{said}");
        }
    }
    assert!(passed >= 4 && failed >= 6, "{passed} passed, {failed} failed");
    let unknown = ask(&service, "check", &json!({"exercise": "no_such", "text": ""}));
    assert!(unknown["error"]["kind"] == "input" && unknown["error"]["message"].as_str().unwrap().contains("no_such"));
}

#[test]
fn first_answers_of_a_page_count_and_those_of_the_command_line_win() {
    if !compiler_for("first answers in pages") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    course::copy(folder.path());
    let service = service(Some(folder.path().join("exercises")));
    let check = |text: &str, progress: &str| {
        let answer = ask(&service, "check", &json!({"exercise": "stride_costs", "text": text, "progress": progress}));
        answer["ok"].clone()
    };
    let wrong = "wavefronts-2: 4\nwavefronts-32: 1\nwavefronts-33: 33\nsectors-2: 4\n";
    let first = check(wrong, "");
    let score = first["grade"]["score"].as_f64().unwrap();
    let progress = first["progress"].as_str().unwrap();
    let rows = first["grade"]["answers"].as_array().unwrap();
    let right: String = rows
        .iter()
        .map(|row| format!("{}: {}\n", row["id"].as_str().unwrap(), row["truth"].as_str().unwrap()))
        .collect();
    let again = check(&right, progress);
    assert_eq!(again["grade"]["score"].as_f64(), Some(score), "{again:#}");
    assert_eq!(again["grade"]["practice"].as_f64(), Some(1.0));
    assert_eq!(again["progress"], first["progress"]);

    // The file that the page writes is what the command line imports.
    let warpbook = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpbook"));
        let output = command.args(words).current_dir(folder.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let state = folder.path().join("exercises/.warpbook-state.txt");
    fs::write(folder.path().join("page.txt"), progress).unwrap();
    warpbook(&["exercise", "import", "page.txt"]);
    let recorded = fs::read_to_string(&state).unwrap();
    assert!(progress.lines().all(|line| recorded.contains(line)), "{recorded}");
    let percent = format!("first stride_costs {:.0}%", 100.0 * score);
    assert!(recorded.contains(&percent), "{recorded}");
    // Another file changes nothing of it, and the page hears of what is recorded.
    fs::write(folder.path().join("page.txt"), "done stride_costs 100%\nfirst stride_costs 100% skipped 0\n").unwrap();
    warpbook(&["exercise", "import", "page.txt"]);
    assert!(fs::read_to_string(&state).unwrap().contains(&percent));
    let told = check(&right, "done stride_costs 100%\nfirst stride_costs 100% skipped 0\n");
    assert_eq!(told["progress"], first["progress"]);
}
