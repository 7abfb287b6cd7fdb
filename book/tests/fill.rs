//! Directives filled from made-up runs: what they become, and how they fail.

mod common;

use book::Fault;
use common::{Fake, fault, fill, fill_with};

#[test]
fn a_number_stands_in_its_sentence_and_says_where_it_comes_from() {
    assert_eq!(
        fill("It needs {{#wb number kernel=one case=small of=\"shared wavefronts\"}} of them."),
        "It needs <data class=\"wb-number\" value=\"1010\" title=\"one, small: shared wavefronts, simulated, and counted \
         by an H200 on 2026-11-21\">1,010</data> of them."
    );
    let time = fill("{{#wb number kernel=one case=small of=time}}");
    assert!(time.ends_with(">12.3 µs</data>") && time.contains("median of 30 launches"), "{time}");
    let own = fill("{{#wb number kernel=one case=small of=\"ideal shared wavefronts\"}}");
    assert!(own.contains("known to the simulator only"), "{own}");
    let ratio = fill("{{#wb ratio two one case=small of=\"shared load wavefronts\"}}");
    assert!(ratio.ends_with(">3.0</data>"), "{ratio}");
}

#[test]
fn a_counter_table_shows_both_machines() {
    assert_eq!(
        fill("{{#wb counters kernel=one case=small}}\n"),
        "\n<div class=\"wb-table\" tabindex=\"0\"><table>\n\
         <caption><code>one</code>, small: 1 block of 256 threads, 2,048 bytes of shared memory per block. \
         Simulated for this page, counted by an H200 on 2026-11-21.</caption>\n\
         <thead><tr><th scope=\"col\">counter</th><th scope=\"col\" class=\"wb-n\">simulated</th>\
         <th scope=\"col\" class=\"wb-n\">H200</th></tr></thead>\n<tbody>\n\
         <tr><th scope=\"row\"><span title=\"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\">shared load \
         wavefronts</span></th><td class=\"wb-n\">10</td><td class=\"wb-n\">10</td></tr>\n\
         <tr><th scope=\"row\"><span title=\"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum\">shared store \
         wavefronts</span></th><td class=\"wb-n\">1,000</td><td class=\"wb-n\">1,000</td></tr>\n\
         </tbody>\n</table></div>\n\n\n"
    );
}

#[test]
fn kernels_run_on_other_gpus() {
    let table = fill(
        "{{#wb targets kernels=\"one two\" case=small targets=\"8800GTX h200\" rows=\"shared load wavefronts\"}}\n",
    );
    for shown in ["GeForce 8800 GTX", "H200", ">20<", ">10<", ">60<", ">30<"] {
        assert!(table.contains(shown), "{shown} is missing: {table}");
    }
    let other = |targets: &str, rows: &str| {
        fault(&format!("{{{{#wb targets kernels=one case=small targets={targets} rows=\"{rows}\"}}}}\n"))
    };
    assert!(other("voodoo", "shared bytes").contains("there is no target `voodoo`"));
    assert!(other("g80", "time").contains("measured"));
}

#[test]
fn a_faulty_kernel_stands_before_what_is_found_in_it() {
    let shown = fill("{{#wb finding broken}}\n");
    let (source, finding) =
        (shown.find("```cpp\ns[i] = x;\n```"), shown.find("```text\nfinding: [race] who <knows>\n```"));
    assert!(source.is_some() && source < finding, "{shown}");
    assert!(shown.contains("<code>broken.cu</code>") && shown.contains(">6</pre>"), "{shown}");
    assert_eq!(fault("{{#wb finding sound}}"), "there is no kernel `sound` to show");
}

#[test]
fn a_kernel_that_is_wrong_on_purpose_says_so() {
    let shown = fill("{{#wb wrong kernel=one case=small}}\n");
    assert!(
        shown.contains("It &lt;waits&gt; for nobody. The simulator finds 2 findings of the kind <code>race</code>."),
        "{shown}"
    );
    assert!(shown.contains("```text\nfinding: [race] first\n```") && !shown.contains("second"), "{shown}");
    assert!(shown.contains("The result is wrong: element 3 is 1."), "{shown}");
    assert!(shown.contains("<a href=\"../sources/fake.html#fake-cu-L1\"><code>one</code></a>, small."), "{shown}");
    assert_eq!(fault("{{#wb wrong kernel=two case=small}}"), "nothing is known to be wrong with two, small");
    assert!(fault("{{#wb wrong kernel=one case=huge}}").contains("one has no case \"huge\""));
    assert!(fault("{{#wb wrong case=small}}").contains("`wrong` needs the option `kernel=…`"));
}

#[test]
fn what_is_known_to_differ_is_marked_with_its_cause() {
    let runs = Fake { simulated: 30, measured: Some(31), known: true };
    let table = fill_with(&runs, "{{#wb counters kernel=two case=small}}").unwrap();
    let row = "wavefronts</span></th><td class=\"wb-n\">30</td><td class=\"wb-n\">31<sup>1</sup></td>";
    assert!(table.contains(row), "{table}");
    let note =
        "<sup>1</sup> Known to differ: <a href=\"../truth.html#caches\">a cache that &lt;knows&gt;</a></caption>";
    assert!(table.contains(note), "{table}");
    let table = fill_with(&runs, "{{#wb compare kernels=\"one two\" case=small rows=\"shared wavefronts\"}}").unwrap();
    assert!(table.contains("1,030 <small>(H200: 1,031<sup>1</sup>)</small>"), "{table}");
    assert!(table.contains("but for what is marked") && table.contains(note), "{table}");
    // A sentence still may not hold such a number, and nothing but what is known is let through.
    assert!(fill_with(&runs, "{{#wb number kernel=two case=small of=\"shared wavefronts\"}}").is_err());
    let unknown = Fake { known: false, ..runs };
    assert!(fill_with(&unknown, "{{#wb counters kernel=two case=small}}").is_err());
}

#[test]
fn kernels_stand_side_by_side() {
    let table = fill("{{#wb compare kernels=\"one two\" case=small rows=\"shared wavefronts; time\"}}");
    assert!(table.contains(
        "<th scope=\"row\">shared wavefronts</th><td class=\"wb-n\">1,010</td><td class=\"wb-n\">1,030</td>"
    ));
    assert!(table.contains("time <small>(measured only)</small></th><td class=\"wb-n\">12.3 µs</td>"), "{table}");
    assert!(table.contains("an H200 counted the same on 2026-11-21"));
    let bars = fill("{{#wb bars kernels=\"one two\" case=small}}");
    assert!(bars.contains("<b>1,030</b> wavefronts, 25 because of bank conflicts"), "{bars}");
    assert!(bars.contains("style=\"width:100.00%\"") || bars.contains("style=\"width:97.57%\""), "{bars}");
}

#[test]
fn lines_link_to_their_source_and_add_up() {
    let table = fill("{{#wb lines kernel=two case=small}}");
    let row = "<tr><th scope=\"row\"><a href=\"../sources/fake.html#fake-cu-L3\">3</a></th><td><code>x = s[a&lt;b];</code></td>\
               <td class=\"wb-n\">30</td><td class=\"wb-n\">5</td><td class=\"wb-n\">25</td></tr>";
    assert!(table.contains(row), "{table}");
    assert!(!table.contains("end();"), "a line without shared accesses is left out");
    assert!(
        table.contains(
            "<th scope=\"row\">total</th><td></td><td class=\"wb-n\">1,030</td><td class=\"wb-n\">1,005</td>"
        )
    );
    let two = fill("{{#wb lines kernels=\"one two\" case=small}}");
    assert!(two.contains("<td class=\"wb-n\">10</td><td class=\"wb-n\">30</td>"), "{two}");
}

#[test]
fn a_source_region_keeps_its_line_numbers() {
    assert_eq!(
        fill("{{#wb source fake.cu:body}}"),
        "\n<div class=\"wb-source\">\n<p class=\"wb-caption\"><a href=\"../sources/fake.html#fake-cu-L3\"><code>fake.cu</code>, \
         lines 3 to 4</a></p>\n<div class=\"wb-listing\"><pre class=\"wb-gutter\" aria-hidden=\"true\">3\n4</pre>\n\n\
         ```cpp\nx = s[a<b];  // load\ns[i] = x;\n```\n\n</div></div>\n\n"
    );
    let whole = fill("{{#wb file fake.cu}}");
    assert!(whole.contains("<span id=\"fake-cu-L6\">6</span>") && !whole.contains("ANCHOR"), "{whole}");
}

#[test]
fn a_command_has_the_launch_and_the_arguments_of_its_case() {
    let command = fill("{{#wb command kernel=one case=small file=scan.ptx}}");
    let wanted = "warpbook sim scan.ptx --kernel one \\\n    --grid 1 --block 256 --shared 2048 \\\n    --arg zeros:64 --arg i32:16\n";
    assert!(command.contains(wanted), "{command}");
}

#[test]
fn the_other_blocks_are_filled() {
    assert!(fill("{{#wb closing}}").contains("6 of 6 exact counters agree (H200, recorded 2026-11-21)"));
    assert!(fill("{{#wb agreement}}").contains("<td class=\"wb-n\">4</td>"));
    assert!(fill("{{#wb provenance}}").contains("<th scope=\"row\">NVIDIA H200</th>"));
    let known = fill("{{#wb known}}");
    assert!(
        known.contains("histogram_<wbr>many_<wbr>bulk") && known.contains("href=\"#votes-of-the-compiler\""),
        "{known}"
    );
    let list = fill("{{#wb counter-index}}");
    assert!(list.contains("<a href=\"shared.html#shared-load-wavefronts\">") && list.contains(common::LD), "{list}");
    let kinds = fill("{{#wb finding-index}}");
    assert!(kinds.contains("<a href=\"race.html\">") && kinds.contains("racecheck"), "{kinds}");
    let map = fill("{{#wb bank-map tile=512 round=3 paddings=\"none 32\"}}");
    assert!(map.contains("Without padding: 8 wavefronts. One word of padding after every 32: 1 wavefront"), "{map}");
    assert!(map.contains("bank 7: lanes 0, 4, 8, 12, 16, 20, 24, 28; bank 15"), "{map}");
}

#[test]
fn claims_say_nothing_when_true_and_stop_the_book_when_false() {
    let true_claims = "{{#wb claim one less-than two case=every of=\"shared wavefronts\"}}\
                       {{#wb claim two is 25 case=small of=\"shared wavefronts\"}}";
    assert!(fill_with(&Fake::default(), true_claims).unwrap_err()[0].1.contains("it is 1,030 against 25"));
    assert_eq!(fill("{{#wb claim one same-as one case=every of=\"every counter\"}}"), "");
    let error = fault("a\n{{#wb claim one same-as two case=small of=\"every counter\"}}");
    assert_eq!(
        error,
        "the text claims that one is same-as two in shared load wavefronts, but for small it is 10 against 30"
    );
    assert!(fault("{{#wb claim one beats two case=small of=time}}").contains("`beats` is no relation"));
}

#[test]
fn a_number_that_the_hardware_contradicts_stops_the_book() {
    let runs = Fake { simulated: 30, measured: Some(31), ..Fake::default() };
    for directive in [
        "{{#wb number kernel=two case=small of=\"shared load wavefronts\"}}",
        "{{#wb counters kernel=two case=small}}",
        "{{#wb counters kernel=two case=small measured=no}}",
        "{{#wb compare kernels=\"one two\" case=small}}",
        "{{#wb lines kernel=two case=small}}",
        "{{#wb bars kernels=two case=small}}",
        "{{#wb claim one less-than two case=every of=\"shared wavefronts\"}}",
    ] {
        let faults = fill_with(&runs, directive).unwrap_err();
        assert!(faults[0].1.contains("and the H200 counted"), "{directive}: {faults:?}");
    }
    let closing = fill_with(&runs, "{{#wb closing}}").unwrap_err();
    assert!(closing[0].1.contains("5 of 6 exact counters agree"), "{closing:?}");
}

#[test]
fn a_missing_record_must_be_admitted_in_the_text() {
    let runs = Fake { simulated: 30, measured: None, ..Fake::default() };
    let error = fill_with(&runs, "{{#wb counters kernel=two case=small}}").unwrap_err();
    assert!(error[0].1.contains("no GPU has recorded `shared load wavefronts` of two"), "{error:?}");
    let table = fill_with(&runs, "{{#wb counters kernel=two case=small measured=no}}").unwrap();
    assert!(!table.contains("H200") && table.contains("Simulated for this page."), "{table}");
    assert!(fill_with(&runs, "{{#wb number kernel=two case=small of=time measured=no}}").is_err());
}

#[test]
fn every_mistake_of_an_author_has_a_sentence() {
    assert!(
        fault("{{#wb picture}}")
            .contains("there is no directive `picture`; there are number, ratio, claim, hold, predict")
    );
    assert!(fault("{{#wb counters kernel=three case=small}}").contains("no kernel `three`; there are one, two"));
    assert!(fault("{{#wb counters kernel=two case=large}}").contains("two has no case \"large\"; there are \"small\""));
    assert!(
        fault("{{#wb number kernel=one case=small of=speed}}")
            .contains("there is no counter `speed`; there are shared load")
    );
    assert!(fault("{{#wb source fake.cu:main}}").contains("no region `main` in this file; there are body"));
    assert!(fault("{{#wb source other.cu:main}}").contains("no source `other.cu`; there are fake.cu"));
    assert!(fault("{{#wb source fake.cu}}").contains("write FILE:REGION"));
    assert!(fault("{{#wb counters case=small}}").contains("needs the option `kernel=…`"));
    assert!(fault("{{#wb counters kernel=one case=small colour=red}}").contains("has no option `colour`"));
    assert!(fault("{{#wb number kernel=one case=small of=time twice}}").contains("what to do with `twice`"));
    assert!(fault("so {{#wb counters kernel=one case=small}}").contains("must stand on lines of its own"));
    assert!(fault("{{#wb bank-map tile=500 round=1 paddings=none}}").contains("`tile=500` is no tile"));
    assert!(fault("{{#wb bank-map tile=512 round=10 paddings=none}}").contains("has no round 10"));
    assert!(fault("{{#wb counters kernel=one case=small measured=maybe}}").contains("neither `measured=yes`"));
}

#[test]
fn all_faults_of_a_chapter_are_told_at_once_with_their_lines() {
    let text = "{{#wb picture}}\n\n{{#wb closing}}\n{{#wb source fake.cu:main}}\n";
    let faults = fill_with(&Fake::default(), text).unwrap_err();
    assert_eq!(faults.iter().map(|(line, _)| *line).collect::<Vec<_>>(), [1, 4]);
    let fault = Fault { file: "book/chapters/a.md".into(), line: 4, reason: "no".to_owned().into() };
    assert_eq!(fault.to_string(), "book/chapters/a.md:4: no");
}
