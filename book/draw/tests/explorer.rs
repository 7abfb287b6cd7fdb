//! The explorer: what it shows is the figure of the book, whatever is wrong is told, and no request ends it.

use draw::access::{Access, Space};
use draw::banks::{Panel, Pass};
use draw::explorer::{Kind, Level, Mode, Request, State, Swizzle, answer, reply};
use markup::svg::Svg;
use proptest::prelude::*;

fn request(text: &str) -> Result<draw::explorer::Reply, draw::explorer::Fault> {
    reply(&serde_json::from_str::<Request>(text).unwrap_or_else(|error| panic!("{text}: {error}")))
}

#[test]
fn a_plain_access_is_drawn_as_the_figure_of_the_book_draws_it() {
    for stride in 0..=8 {
        let shown = answer(&State { stride, ..State::default() }).unwrap();
        let access = Access::of(Space::Shared, &format!("lane * {stride}"), 4, 4).unwrap();
        let label = format!("Lane i at word {}", shown.formula.replace("lane", "i"));
        let panel = Panel::new(&label, &access, shown.cost.unwrap()).unwrap();
        let mut svg = Svg::new(640);
        panel.draw(&mut svg, 0);
        assert_eq!(shown.figure.0, svg.html(&panel.title(), &panel.described).0, "stride {stride}");
    }
    let sectors = answer(&State { mode: Mode::Sectors, space: Space::Global, stride: 2, ..State::default() }).unwrap();
    let access = Access::of(Space::Global, "lane * 8", 1, 4).unwrap();
    let panel = draw::sectors::Panel::new("Lane i at byte i * 8", &access, 8).unwrap();
    let figure = draw::sectors::figure(&[panel], "");
    let body = |html: &str| html[html.find("<text").unwrap()..html.find("</svg>").unwrap()].to_owned();
    assert_eq!(body(&sectors.figure.0), body(&figure.0));
}

#[test]
fn sentences_say_what_is_seen() {
    let shown = |state: State| answer(&state).unwrap();
    let twelve = shown(State { stride: 12, ..State::default() });
    assert_eq!(
        twelve.status,
        "Stride 12: 4 wavefronts, best 1. 8 banks deliver 4 words each, 24 are idle. Worst: bank 0, lanes 0, 8, 16, 24."
    );
    assert_eq!(twelve.note, "gcd(12, 32) = 4");
    assert_eq!(twelve.lanes[8].text, "lane 8: word 96, bank 0, turn 2, waits for lane 0");
    assert_eq!(twelve.turns[24], Some(4));
    assert!(twelve.table.0.contains("<td class=\"wb-n\">96</td><td class=\"wb-n\">0</td><td class=\"wb-n\">2</td>"));
    let wide = shown(State { stride: 4, width: 16, ..State::default() });
    assert_eq!((wide.cost, wide.ideal), (Some(4), Some(4)));
    assert!(wide.status.contains("in 4 parts, which take 1 + 1 + 1 + 1"), "{}", wide.status);
    let tower = shown(State { stride: 32, ..State::default() });
    assert!(tower.figure.0.contains(">+24</text>"));
    let xor = shown(State { stride: 32, swizzle: Swizzle::Xor, ..State::default() });
    let pad = shown(State { stride: 32, swizzle: Swizzle::Pad, ..State::default() });
    assert_eq!((xor.cost, pad.cost), (Some(1), Some(1)));
    let old = shown(State { stride: 2, target: "g80".to_owned(), ..State::default() });
    assert_eq!((old.cost, old.ideal), (Some(4), Some(2)));
    assert!(old.status.contains("on a GeForce 8800 GTX"), "{}", old.status);
    let adds = shown(State { mode: Mode::Atomics, kind: Kind::Add, words: 1, ..State::default() });
    let counts = shown(State { mode: Mode::Atomics, kind: Kind::Increment, words: 1, ..State::default() });
    assert_eq!((adds.cost, counts.cost), (Some(32), Some(1)));
    let block = shown(State { mode: Mode::Threads, x: 33, y: 2, ..State::default() });
    assert_eq!(block.lanes[33].text, "thread (0, 1): number 33, warp 1, lane 1");
    let ballot = shown(State { mode: Mode::Ballot, formula: Some("lane".to_owned()), ..State::default() });
    assert_eq!(ballot.lanes[21].text, "lane 21 votes yes, 10 below it do: its place is 10");
}

#[test]
fn what_is_wrong_has_a_field_and_a_place() {
    let fault = |state: State| answer(&state).unwrap_err();
    let formula = |text: &str| fault(State { formula: Some(text.to_owned()), ..State::default() });
    assert_eq!(formula("lane * ").at, Some((6, 6)));
    assert_eq!(formula("lane + rank").at, Some((7, 11)));
    assert_eq!(formula("lane / (lane - 3)").at, Some((5, 6)));
    assert_eq!(formula("lane << 40").field, "formula");
    assert_eq!(formula("-1 - lane").field, "formula");
    assert_eq!(fault(State { active: 0, ..State::default() }).field, "active");
    assert_eq!(fault(State { width: 12, ..State::default() }).field, "width");
    assert_eq!(fault(State { stride: 65, ..State::default() }).field, "stride");
    assert_eq!(fault(State { target: "h9".to_owned(), ..State::default() }).field, "target");
    assert_eq!(fault(State { addresses: Some(vec![None; 31]), ..State::default() }).field, "addresses");
    let none = State { mode: Mode::Atomics, kind: Kind::Add, target: "g80".to_owned(), ..State::default() };
    assert_eq!(fault(none).field, "target");
}

#[test]
fn a_link_leads_back_to_the_same_picture() {
    let initial = r#"{"mode":"banks","stride":2}"#;
    let moved = request(&format!(
        r#"{{"state":{{"mode":"banks","stride":12,"swizzle":"pad","every":16}},"initial":{initial}}}"#
    ))
    .unwrap();
    let link = serde_json::to_string(&moved.link).unwrap();
    assert_eq!(link, r#"{"p":"16","s":"12","z":"pad"}"#);
    let again = request(&format!(r#"{{"state":{initial},"initial":{initial},"link":{link}}}"#)).unwrap();
    let json = |answer| serde_json::to_value(answer).unwrap();
    assert_eq!(json(&again.answer), json(&moved.answer));
}

#[test]
fn challenges_are_judged_by_what_the_accesses_cost() {
    let level = Level {
        say: "Rows and columns".to_owned(),
        free: "stride".to_owned(),
        cost: None,
        also: vec!["lane".to_owned()],
        start: State { stride: 32, ..State::default() },
    };
    level.is_sound().unwrap();
    let judged = |state: State| level.judge(&state).unwrap();
    assert_eq!(judged(State { stride: 32, ..State::default() }).says, "Not yet: 32 and 1 wavefronts.");
    let solved = judged(State { stride: 33, ..State::default() });
    assert!(solved.solved && solved.says.contains("What solves it: 1, 3, 5"), "{}", solved.says);
    // Words of 4 bytes are none of 8.
    let wide = State { stride: 33, width: 8, ..State::default() };
    assert!(!level.judge(&wide).is_ok_and(|met| met.solved));
    assert!(!judged(State { stride: 32, swizzle: Swizzle::Xor, ..State::default() }).solved);
    let never = Level { cost: Some(3), ..level.clone() };
    assert!(never.is_sound().unwrap_err().contains("cannot be solved"));
    let already = Level { start: State::default(), ..level };
    assert!(already.is_sound().unwrap_err().contains("before anything"));
}

#[test]
fn a_curve_has_the_tries_and_the_guess() {
    let text = r#"{"state":{"stride":3},"curve":{"control":"stride","tried":[2,3,99],"guess":[24,3]}}"#;
    let curve = request(text).unwrap().curve.unwrap();
    assert_eq!(curve.tries, ["2 → 2", "3 → 1"]);
    assert!(curve.figure.0.contains("you: 3") && curve.figure.0.contains("2: 2, 3: 1"), "{}", curve.figure.0);
    let nothing = request(r#"{"state":{},"curve":{"control":"stride"}}"#).unwrap().curve.unwrap();
    assert_eq!(nothing.figure.0, "");
    assert_eq!(request(r#"{"state":{},"curve":{"control":"lane"}}"#).unwrap_err().field, "curve");
}

#[test]
fn a_pass_is_as_high_as_its_fullest_bank() {
    let access = Access::of(Space::Shared, "lane * 8", 4, 4).unwrap();
    assert_eq!(Pass { lanes: u32::MAX, banks: access.banks() }.height(), 8);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_state_ends_it_and_columns_are_as_high_as_the_cost(
        mode in prop_oneof![Just(Mode::Banks), Just(Mode::Sectors), Just(Mode::Atomics), Just(Mode::Ballot), Just(Mode::Threads)],
        kind in prop_oneof![Just(Kind::Load), Just(Kind::Store), Just(Kind::Add), Just(Kind::Increment), Just(Kind::CompareAndSwap)],
        space in prop_oneof![Just(Space::Shared), Just(Space::Global)],
        swizzle in prop_oneof![Just(Swizzle::None), Just(Swizzle::Xor), Just(Swizzle::Pad)],
        width in prop_oneof![Just(0u32), Just(1), Just(2), Just(4), Just(8), Just(16), any::<u32>()],
        numbers in prop_oneof![proptest::array::uniform6(0u32..70), any::<[u32; 6]>()],
        active in any::<u32>(),
        target in proptest::sample::select(vec!["g80", "gt200", "gtx580", "k40", "gtx980", "v100", "h200", "none"]),
        formula in proptest::option::of("[lanewrp0-9 +*/%<>&|^()-]{0,12}"),
    ) {
        let [stride, offset, every, words, x, y] = numbers;
        let state = State {
            mode, kind, space, swizzle, width, stride, offset, every, words, x, y, active, formula,
            target: target.to_owned(), ..State::default()
        };
        if let Ok(shown) = answer(&state) {
            let last = shown.turns.iter().flatten().max().copied();
            if let (Mode::Banks, Some(last)) = (mode, last) {
                prop_assert_eq!(Some(u64::from(last)), shown.cost);
            }
            let text = serde_json::to_string(&shown).unwrap();
            prop_assert!(!text.contains("\\n\\n"), "a blank line ends the HTML of a chapter");
        }
    }
}
