//! Predictions, questions, steps, figures and ladders: what they become, and how they fail.

mod common;

use common::{Fake, fault, fill, fill_with};

#[test]
fn a_prediction_is_folded_and_carries_the_value() {
    let text = "{{#wb predict words=\"lane * 4\" of=wavefronts unit=wavefronts}}\nHow many?\n\
                {{#wb answer \"Four & why\"}}\nBecause.\n{{#wb end}}\n";
    let html = fill(text);
    assert!(
        html.contains("<div class=\"wb-predict\" data-value=\"4\" data-shown=\"4\" data-unit=\"wavefronts\">"),
        "{html}"
    );
    let (question, answer) = (html.find("How many?"), html.find("<summary>Four &amp; why</summary>"));
    assert!(question.is_some() && question < answer && html.find("Because.") > answer, "{html}");
    assert_eq!(html.matches("</details>").count(), 1);
    assert!(
        fill("{{#wb predict}}\nWhy?\n{{#wb answer \"So\"}}\nx\n{{#wb end}}\n").contains("<div class=\"wb-predict\">")
    );
    assert!(
        fault("{{#wb predict}}\nHow many?\n{{#wb answer \"a\"}}\n").contains("this `predict` has no `{{#wb end}}`")
    );
    assert!(fault("{{#wb predict}}\nHow many?\n{{#wb end}}\n").contains("has no `{{#wb answer"));
    assert!(fault("{{#wb answer \"a\"}}").contains("belongs into `predict`"));
    assert!(fault("{{#wb end}}").contains("closes nothing"));
}

fn quiz(head: &str, options: &[&str]) -> String {
    let options: String = options.iter().map(|option| format!("{{{{#wb option {option}}}}} text\n")).collect();
    format!("{{{{#wb quiz {head}}}}}\nWhich?\n{options}{{{{#wb because}}}}\nSo.\n{{{{#wb end}}}}\n")
}

#[test]
fn the_right_option_is_the_one_that_equals_the_computed_value() {
    let head = "banks-eight kernel=one case=small of=\"shared load wavefronts\"";
    let html = fill(&quiz(head, &["5", "10", "20"]));
    assert!(html.contains("id=\"quiz-banks-eight\"") && html.contains("<p><b>B</b></p>"), "{html}");
    assert_eq!(html.matches("<li").count(), 3);
    assert_eq!(html.matches("<li data-right=\"yes\">\n\n10").count(), 1);
    assert!(fault(&quiz(head, &["5", "20"])).contains("the answer to banks-eight is 10, and 0 of its options say so"));
    assert!(fault(&quiz(head, &["10", "10"])).contains("2 of its options"));
    assert!(fill(&quiz(head, &[])).contains(">10</data></b>"), "without options the number is shown");
}

#[test]
fn a_question_of_words_has_one_right_option() {
    let html = fill(&quiz("why", &["", "right"]));
    assert!(html.contains("<p><b>B</b></p>") && html.contains("<details class=\"wb-answer\">"), "{html}");
    assert!(fault(&quiz("why", &["", ""])).contains("0 options of why are right"));
    assert!(fault(&quiz("why", &["right", "right"])).contains("2 options of why are right"));
    assert!(fault(&quiz("why", &[])).contains("needs two options or a number"));
    let both = fill_with(&Fake::default(), "{{#wb quiz Why}}\n").unwrap_err();
    assert!(both[0].1.contains("`Why` names no question"), "{both:?}");
    assert!(
        fault("{{#wb option}}").contains("belongs into `quiz`")
            && fault("{{#wb because}}").contains("belongs into `quiz`")
    );
}

#[test]
fn a_reason_stands_with_the_answer_and_not_with_its_option() {
    let text = "{{#wb quiz why}}\nWhich?\n{{#wb option}} One.\n{{#wb reason}} One is too few.\n{{#wb option right}} Two.\n\
                {{#wb option}} Three.\n{{#wb reason}} Three *are* many.\n{{#wb because}}\nSo.\n{{#wb end}}\n";
    let html = fill(text);
    let (options, answer) = html.split_once("<details").unwrap();
    assert!(options.contains("One.") && !options.contains("too few") && !options.contains("many"), "{html}");
    assert!(answer.contains("<li data-option=\"A\">\n\n<b>Not A.</b> One is too few.\n\n</li>"), "{html}");
    assert!(answer.contains("<li data-option=\"C\">\n\n<b>Not C.</b> Three *are* many."), "{html}");
    assert!(answer.find("So.") < answer.find("too few"), "{html}");
    assert_eq!((html.matches("<li").count(), html.matches("</li>").count()), (5, 5), "{html}");
    let right = text.replace("Two.\n", "Two.\n{{#wb reason}} Because.\n");
    assert!(fault(&right).contains("option B of why is right"));
    let twice = text.replace("One is", "x\n{{#wb reason}} One is");
    assert!(fault(&twice).contains("two reasons"));
    assert!(fault("{{#wb reason}} x").contains("belongs behind an `option`"));
}

#[test]
fn a_question_is_asked_again_with_another_number() {
    let text = "{{#wb quiz stride words=\"lane * 12\" of=wavefronts}}\nTwelve?\n{{#wb because}}\nFour.\n\
                {{#wb again words=\"lane * 20\" of=wavefronts}}\nTwenty?\n\
                {{#wb again words=\"lane * 6\" of=wavefronts unit=wavefronts}}\nSix?\n{{#wb end}}\n";
    let html = fill(text);
    assert!(
        html.contains("<div class=\"wb-again\" data-value=\"4\" data-shown=\"4\">\n\n**Once more.** \nTwenty?"),
        "{html}"
    );
    assert!(html.contains("data-value=\"2\" data-shown=\"2\" data-unit=\"wavefronts\">"), "{html}");
    assert_eq!((html.matches("<div").count(), html.matches("</div>").count()), (2, 2), "{html}");
    assert!(html.find("wb-again") > html.find("<details"), "it is asked behind the answer: {html}");
    let early = "{{#wb quiz stride words=lane of=wavefronts}}\n{{#wb again words=lane of=wavefronts}}\n\
                 {{#wb because}}\n{{#wb end}}\n";
    assert!(fault(early).contains("comes after `because`"));
    assert!(fault("{{#wb again words=lane of=wavefronts}}").contains("belongs into `quiz`"));
}

#[test]
fn what_is_held_of_runs_is_true_or_stops_the_book() {
    let two = "two=\"kernel=two case=small of='shared load wavefronts'\"";
    let hold = |relation: &str, names: &str| format!("{{{{#wb hold \"{relation}\" {names}}}}}");
    let four = "four=\"words='lane * 4' of=wavefronts\"";
    assert_eq!(fill(&hold("20 < two <= 30 != 2 * four", &format!("{two} {four}"))), "");
    let told = fault(&hold("2 * two < 30", two));
    assert!(told.contains("the text says that 2 * two < 30, but 60 < 30 is false: two = 30"), "{told}");
    for (relation, names, why) in [
        ("two", two, "compares nothing"),
        ("2 < 3", "", "names no value of a run"),
        ("2 < 3", two, "does not use `two`"),
        ("two < three", two, "no number is called `three`"),
        ("two < 3", "two=\"kernel=two\"", "needs the option `case=…`"),
        ("two < 3", "two=\"words=lane of=wavefronts colour=red\"", "has no option `colour`"),
    ] {
        let told = fault(&hold(relation, names));
        assert!(told.contains(why), "{relation} {names}: {told}");
    }
    let old = "old=\"kernel=two case=small of='shared load wavefronts' target=g80\"";
    assert_eq!(fill(&hold("old = 2 * two", &format!("{two} {old}"))), "");
    let differs = Fake { simulated: 30, measured: Some(31), ..Fake::default() };
    assert!(fill_with(&differs, &hold("two = 30", two)).is_err(), "a number that the GPU contradicts holds nothing");
}

#[test]
fn steps_hold_whatever_is_in_their_frames() {
    let html = fill("{{#wb steps \"Two\"}}\n{{#wb frame \"a\"}}\n*x*\n{{#wb frame \"b\"}}\ny\n{{#wb end}}\n");
    assert_eq!((html.matches("wb-frame").count(), html.matches("</div>").count()), (2, 3), "{html}");
    assert!(fault("{{#wb steps \"None\"}}\n{{#wb end}}\n").contains("have no `{{#wb frame"));
    assert!(fault("{{#wb frame \"a\"}}").contains("belongs into `steps`"));
}

#[test]
fn numbers_come_from_accesses_ballots_lines_and_the_bench() {
    let number = |options: &str| fill(&format!("{{{{#wb number {options}}}}}"));
    assert!(number("words=\"lane * 8\" of=wavefronts").ends_with(">8</data>"));
    assert!(number("words=\"lane * 33\" of=\"bank of lane 7\"").ends_with(">7</data>"));
    assert!(number("words=\"lane * 16\" of=\"lanes on bank 16\"").ends_with(">16</data>"));
    assert!(number("bytes=\"lane * 4 + 4\" of=sectors").ends_with(">5</data>"));
    assert!(number("bits=\"lane\" of=\"rank of lane 21\"").ends_with(">10</data>"));
    assert!(number("bits=\"lane\" of=ballot").ends_with(">0xaaaaaaaa</data>"));
    assert!(number("kernel=one case=small at=\"x = s\" of=\"shared load wavefronts\"").ends_with(">10</data>"));
    assert!(number("kernel=one case=small of=\"lanes together\"").ends_with(">7</data>"));
    assert!(number("kernel=one case=small at=\"s[i]\" of=\"fewest lanes\"").ends_with(">16</data>"));
    let speed = number("version=prefix_pipelined size=\"2^28\" data=ints of=speed");
    assert!(speed.contains(" GB/s</data>") && speed.contains("measured on an H200 on"), "{speed}");
    for (options, why) in [
        ("", "needs to know which number"),
        ("words=\"lane\" of=sectors", "of an access there is no `sectors`"),
        ("words=\"lane / 2\" of=wavefronts", "no whole number"),
        ("bits=lane of=rank", "there are `count`"),
        ("kernel=one case=small at=nothing of=\"shared wavefronts\"", "no line that one executes"),
        ("version=prefix_slow size=\"2^28\" of=time", "nothing of `prefix_slow` is in the recorded bench"),
        ("version=prefix_bulk size=\"2^99\" of=time", "there is no such workload"),
        ("version=prefix_pipelined size=\"2^28\" data=ints of=price", "there is no `price`"),
    ] {
        let told = fault(&format!("{{{{#wb number {options}}}}}"));
        assert!(told.contains(why), "{options}: {told}");
    }
}

#[test]
fn what_the_bench_contradicts_stops_the_book() {
    let claim = |relation: &str| {
        format!("{{{{#wb claim prefix_pipelined {relation} prefix_chained size=\"2^28\" data=ints}}}}")
    };
    assert_eq!(fill(&claim("faster-than")), "");
    assert!(fault(&claim("slower-than")).contains("the text claims that prefix_pipelined is slower-than"));
}

#[test]
fn a_ladder_has_a_chart_and_a_table() {
    let html =
        fill("{{#wb ladder problem=array_scan size=\"2^28\" data=ints versions=\"prefix_bulk prefix_printed\"}}");
    assert!(html.contains("aria-label=\"Speed of array_scan for 2^28 ints, any numbers\""), "{html}");
    for shown in ["2<sup>28</sup> ints", "cub::<wbr>DeviceScan", "wrong, as expected", "a copy of as many bytes"] {
        assert!(html.contains(shown), "{shown} is missing: {html}");
    }
    let alone = "{{#wb ladder problem=array_scan size=\"2^28\" data=ints versions=prefix_bulk peer=no}}";
    assert!(!fill(alone).contains("cub::"));
    assert!(fault("{{#wb ladder problem=array_scan size=\"2^28\"}}").contains("several workloads have this size"));
    assert!(fault("{{#wb ladder problem=knitting size=1}}").contains("nothing of `knitting`"));
}

/// Every kind of figure, with something that its drawing must hold.
const FIGURES: [(&str, &str); 15] = [
    ("banks words=\"lane * 2; lane\" labels=\"Two; One\"", "Two: 2 wavefronts"),
    ("banks kernels=one case=small at=\"s[i]\"", "one: 2 wavefronts"),
    ("sweep tile=64 paddings=\"none 32\"", "up 1 (32 threads): 2 and 1"),
    ("tree algorithm=blelloch data=\"3 1 7 0 4 1 6 3\"", "Round 7: 0 3 4 11 11 15 16 22"),
    ("tree algorithm=hillis-steele", "4 rounds and 49 additions"),
    ("lanes kernel=one case=small", "line 4: lanes 0–31 take part"),
    ("ballot bits=\"floor(lane / 3)\"", "0x38e38e38"),
    ("atomics kernel=one case=small", "7 lanes: 2"),
    ("sectors bytes=\"lane * 4 + 4\" labels=shifted", "shifted: 5 sectors, 128 of 160 bytes needed"),
    ("sectors bytes=\"lane * 16\" width=16", "16 sectors, 512 of 512 bytes needed"),
    ("layout bins=16 copies=4 words=\"bin * copies + copy\"", "The copies of bin 0 lie in 4 banks"),
    ("sat n=2 data=\"1 2 3 4\"", "Rows from top to bottom: 1 3; 4 10."),
    ("radix bits=2 width=4 keys=\"9 3 14 7\"", "After: 0011 0111 1001 1110."),
    ("threads block=33,2", "3 warps of 32 lanes hold 66 threads; 30 lanes are without a thread"),
    ("banks words=5", "Lane i at word 5: 1 wavefront"),
];

#[test]
fn every_figure_is_drawn_with_a_title_and_a_description() {
    for (options, wanted) in FIGURES {
        let html = fill(&format!("{{{{#wb figure {options} caption=\"See & say.\"}}}}"));
        assert!(html.contains(wanted), "{options}: {html}");
        assert!(
            html.contains("aria-label=") && html.contains("aria-description=") && html.contains("See &amp; say."),
            "{options}: {html}"
        );
        assert!(!html.trim().contains("\n\n"), "{options}: a blank line ends the HTML: {html}");
    }
}

#[test]
fn a_figure_that_the_simulator_contradicts_stops_the_book() {
    let runs = Fake { simulated: 30, measured: Some(31), ..Fake::default() };
    for options in ["banks words=lane", "sectors bytes=\"lane * 4\"", "banks words=\"lane * 4\""] {
        let faults = fill_with(&runs, &format!("{{{{#wb figure {options}}}}}")).unwrap_err();
        assert!(faults[0].1.contains("and the simulator counts"), "{options}: {faults:?}");
    }
}

#[test]
fn what_cannot_be_drawn_is_told() {
    for (options, why) in [
        ("circle", "there is no figure `circle`; there are banks"),
        ("tree algorithm=bubble", "there is no algorithm `bubble`"),
        ("tree algorithm=blelloch data=\"1 2 3\"", "4, 8 or 16 places"),
        ("banks words=\"lane; lane\" labels=one", "one label for every formula"),
        ("layout bins=4 copies=2 words=\"bin\"", "where bin 0 of copy 0 is"),
        ("sat n=3 data=\"1 2\"", "are 9 numbers"),
        ("radix keys=\"99\"", "99 in `keys` is too large"),
        ("lanes kernel=one case=small at=nothing", "no line that one executes"),
        ("sectors kernel=one case=small at=\"s[i]\"", "makes no access to global memory"),
        ("threads block=64,64", "too large to draw"),
        ("waits kernels=one case=small", "one has no barrier"),
        ("bitonic n=12", "`n=12` is no power of two"),
        ("bitonic n=8 data=\"3 1\"", "`data` has 2 keys, and the network sorts 8"),
        ("merge-path left=\"1 2\"", "needs the option `right=\"…\"`"),
        ("merge-path left=\"2 1\" right=\"3\"", "`left` is not sorted"),
        ("merge-path left=\"1\" right=\"3\" parts=4", "2 keys cannot be cut into 4 parts"),
        ("roofline problem=reduction size=\"2^3\" data=ints", "nothing is predicted of reduction for size 2^3"),
        (
            "roofline problem=reduction size=\"2^24\" data=ints versions=reduce_nothing",
            "reduce_nothing is not predicted",
        ),
        ("timeline kernel=one case=small launch=2", "there is no launch 2"),
        ("timeline kernel=one case=small warps=99", "no number from 1 to 64"),
        ("timeline kernel=one case=huge", "one has no case \"huge\""),
    ] {
        let told = fault(&format!("{{{{#wb figure {options}}}}}"));
        assert!(told.contains(why), "{options}: {told}");
    }
}

#[test]
fn sorting_and_time_are_drawn() {
    let network = fill("{{#wb figure bitonic n=4 data=\"3 1 4 1\"}}\n");
    assert!(network.contains("Step 3 of 3.") && network.contains("Before: 3 1 4 1. After: 1 3 1 4."), "{network}");
    let merge = fill("{{#wb figure merge-path left=\"1 3 5 7\" right=\"2 4 6 8\" parts=4}}\n");
    assert!(merge.contains("part 2: 3 of the left run and 4 of the right"), "{merge}");
    assert!(merge.matches("class=\"wb-svg-path\"").count() == 8 && merge.matches("<circle").count() == 4, "{merge}");
    let roof = fill("{{#wb figure roofline problem=reduction size=\"2^24\" data=ints versions=reduce_vector4}}\n");
    assert!(roof.contains("reduce_vector4: ") && roof.matches("class=\"dot\"").count() == 1, "{roof}");
    assert!(roof.contains("href=\"../time.html\"") && !roof.contains("<style") && !roof.contains("id="), "{roof}");
    let timeline = fill("{{#wb figure timeline kernel=one case=small warps=1}}\n");
    assert!(
        timeline.contains("2.5 µs, limited by latency of barriers") && timeline.contains("issues 60 %"),
        "{timeline}"
    );
    assert!(timeline.contains("the first 1 warps") && !timeline.contains("\n\n\n<"), "{timeline}");
}

#[test]
fn formulas_of_mathematics_are_shown() {
    assert!(fill("It is $n - 1$.").contains("<math"));
    assert!(fault("a\n\n$\\nosuch$").contains("cannot be read"));
}
