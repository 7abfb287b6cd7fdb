//! The table of all directives, in the order in which a wrong name is answered with them.
//!
//! A new directive is a function beside its siblings and an entry here; a new figure an entry of
//! [`figures::KINDS`](crate::figures::KINDS).

use crate::blocks;
use crate::directive::Directive;
use crate::fault::Reason;
use crate::figures::{self, banks};
use crate::html::{Markdown, html};
use crate::registry::{Entry, Form, Make, Page};
use crate::value::Value;
use crate::{
    claims, excerpt, explorer, hold, instructions, ladder, least, machine, panel, parts, play, reference, relation,
    sanitizer, stepper, summary, tables, targets, time,
};

/// What opens, parts or closes a block.
const fn part(name: &'static str, section: &'static str, help: &'static str) -> Entry {
    Entry {
        name,
        section,
        form: Form::Part,
        usage: &[],
        help,
        make: |context, directive, page| blocks::block(context, directive, &mut page.open, &mut page.filled),
    }
}

/// What a page about the simulator has of its own, where nothing stands behind the name.
const fn about(name: &'static str, help: &'static str, make: Make) -> Entry {
    Entry { name, section: "Pages about the simulator", form: Form::Block, usage: &[""], help, make }
}

/// All directives.
pub(crate) static DIRECTIVES: &[Entry] = &[
    Entry {
        name: "number",
        section: "Numbers in sentences",
        form: Form::Inline,
        usage: &[
            r#"kernel=scan_naive case="tile 512, 1 block" of="shared wavefronts""#,
            r#"kernel=scan_blelloch case="tile 512, 1 block" at="temp[right] +=" of="shared wavefronts""#,
            r#"version=prefix_pipelined size="2^28" data="ints" of=speed"#,
            r#"version=prefix_chained size="2^28" data="ints" of=ratio to=prefix_pipelined"#,
            r#"words="lane * 8" of=wavefronts"#,
            r#"bytes="lane * 8 + 4" of=sectors"#,
            r#"bits="floor(lane / 3)" of="rank of lane 9""#,
            r#"machine=reduce_sequential case="513 elements" of="divergent branches""#,
            r#"machine=reduce_sequential case="513 elements" of=executed opcode=LDS at="temp[t] +=""#,
        ],
        help: "a number of a run, of its machine code, of one access, of a ballot or of the recorded bench.",
        make: |context, directive, _| Ok(Value::take(context, directive)?.html().into()),
    },
    Entry {
        name: "ratio",
        section: "Numbers in sentences",
        form: Form::Inline,
        usage: &[r#"scan_naive scan_blelloch case="tile 512, 1 block" of="float additions""#],
        help: "how many times more one kernel needs than another.",
        make: |context, directive, _| Ok(relation::ratio(context, directive)?.into()),
    },
    Entry {
        name: "claim",
        section: "Claims",
        form: Form::Inline,
        usage: &[
            r#"scan_blelloch more-than scan_naive case=every of="shared wavefronts""#,
            r#"scan_naive is 0 case=every of="excessive shared wavefronts" measured=no"#,
            r#"prefix_pipelined faster-than prefix_chained size="2^28" data="ints""#,
        ],
        help: "nothing on the page; fails the build when two kernels are not so related.",
        make: |context, directive, _| relation::claim(context, directive).map(Markdown::from),
    },
    Entry {
        name: "hold",
        section: "Claims",
        form: Form::Inline,
        usage: &[r#""races = 0" races="kernel=add_shared case='all to one bin' of=findings""#],
        help: "nothing on the page; fails the build when an expression is false.",
        make: |context, directive, _| hold::hold(context, directive).map(Markdown::from),
    },
    part("predict", "Predictions", "opens a prediction: the question."),
    part("answer", "Predictions", "the folded answer of a prediction, below the words that it shows."),
    part("quiz", "Questions", "opens a question."),
    part("option", "Questions", "one of its answers."),
    part("reason", "Questions", "why the option above is wrong."),
    part("because", "Questions", "the answer, and why."),
    part("again", "Questions", "the same question with another number."),
    part("steps", "Figures", "opens a series of figures to step through."),
    part("frame", "Figures", "the next step of a series."),
    part("end", "Predictions", "closes what `predict`, `quiz` or `steps` opened."),
    Entry {
        name: "source",
        section: "Code",
        form: Form::Block,
        usage: &["scan.cu:sweeps"],
        help: "the lines between `// ANCHOR: sweeps` and `// ANCHOR_END: sweeps`.",
        make: |context, directive, page| excerpt::source(context, directive, &mut page.shown),
    },
    Entry {
        name: "file",
        section: "Code",
        form: Form::Block,
        usage: &["scan.cu"],
        help: "a whole file, to which `source` links.",
        make: |context, directive, _| excerpt::file(context, directive),
    },
    Entry {
        name: "command",
        section: "Code",
        form: Form::Block,
        usage: &[r#"kernel=scan_naive case="tile 512, 1 block" file=kernels/ptx/scan.ptx"#],
        help: "how to run a case of one launch.",
        make: |context, directive, _| excerpt::command(context, directive),
    },
    Entry {
        name: "finding",
        section: "Code",
        form: Form::Block,
        usage: &["tile_overwritten", "tile_overwritten source=no"],
        help: "a faulty kernel of the simulator's catalogue with what is found, or that alone.",
        make: |context, directive, _| excerpt::finding(context, directive),
    },
    Entry {
        name: "wrong",
        section: "Code",
        form: Form::Block,
        usage: &[r#"kernel=prefix_in_place case="257 elements, any numbers""#],
        help: "why a case is wrong on purpose, with the first finding, or the first wrong element where no check can know; a case that is right, or wrong in another way than its problem says, fails the build.",
        make: |context, directive, _| excerpt::wrong(context, directive),
    },
    Entry {
        name: "counters",
        section: "Tables",
        form: Form::Block,
        usage: &[r#"kernel=scan_naive case="tile 512, 1 block" rows="global load sectors; global bytes loaded""#],
        help: "simulated beside the H200's, one kernel.",
        make: |context, directive, _| Ok(tables::counters(context, directive)?.into()),
    },
    Entry {
        name: "compare",
        section: "Tables",
        form: Form::Block,
        usage: &[r#"kernels="scan_naive scan_blelloch" case="tile 512, 1 block" rows="shared wavefronts; time""#],
        help: "kernels side by side.",
        make: |context, directive, _| Ok(tables::compare(context, directive)?.into()),
    },
    Entry {
        name: "lines",
        section: "Tables",
        form: Form::Block,
        usage: &[r#"kernel=scan_blelloch case="tile 512, 1 block""#],
        help: "wavefronts of shared memory line by line.",
        make: |context, directive, _| Ok(tables::lines(context, directive)?.into()),
    },
    Entry {
        name: "sass",
        section: "Tables",
        form: Form::Block,
        usage: &[r#"kernel=copy_words case="4096 elements" lines="out[i] = in[i]" control=yes"#],
        help: "the machine code of a kernel with its counts, below its source lines: of all lines, or of those with such code; what a GPU counted otherwise fails the build. `of` names another kernel that the case launches.",
        make: |context, directive, _| Ok(machine::sass(context, directive)?.into()),
    },
    Entry {
        name: "bars",
        section: "Tables",
        form: Form::Block,
        usage: &[r#"kernels="scan_naive scan_blelloch" case="tile 512, 1 block""#],
        help: "shared wavefronts as bars, conflicts hatched.",
        make: |context, directive, _| Ok(tables::bars(context, directive)?.into()),
    },
    Entry {
        name: "ladder",
        section: "Speed",
        form: Form::Block,
        usage: &[r#"problem=array_scan size="2^28" data="ints" versions="prefix_chained prefix_pipelined""#],
        help: "a chart, and folded below it a table: µs, GB/s, share of a copy, and the library's algorithm (left out by `peer=no`). Without `versions` all that were timed on this workload. Versions that were left out or are wrong are shown with the reason.",
        make: |context, directive, _| Ok(ladder::ladder(context, directive)?.into()),
    },
    Entry {
        name: "least",
        section: "Speed",
        form: Form::Block,
        usage: &[
            r#"problem=reduction size="2^28" data="ints" cases="4194304 elements""#,
            r#"problem=reduction size="2^28" data="any ints" cases="4099 elements" versions="reduce_modulo""#,
        ],
        help: "a table of the versions beside the least that any kernel with the same inputs and outputs must take: sectors, float additions where a bound is claimed, and time; and beside what their own accesses to shared memory cost without conflicts. `cases`: each version is counted in the first of them that it has; `data`: the workloads of this size, each by its data, its unit, or both (`ints, any ints`). Without `versions` all that were timed there and have one of the cases.",
        make: |context, directive, _| Ok(least::least(context, directive)?.into()),
    },
    Entry {
        name: "summary",
        section: "Pages",
        form: Form::Block,
        usage: &[r#"problem=histogram size="2^30" data="uniform""#],
        help: "the versions that the reader has met by the end of each page, with their times on this workload.",
        make: |context, directive, _| summary::summary(context, directive),
    },
    Entry {
        name: "page",
        section: "Pages",
        form: Form::Block,
        usage: &[r#"copies "Copies, and adding equals first""#],
        help: "the beginning of a new page of the site, before a heading of the second level.",
        make: |_, directive, page| page_break(directive, page),
    },
    Entry {
        name: "explorer",
        section: "Explorers",
        form: Form::Block,
        usage: &[
            r#"banks id=machine-banks-stride title="Which bank?" stride=12 ask="3 apart?" try="stride=3" say="Set the stride to 3.""#,
            r#"banks id=machine-banks-columns title="A column" stride=32 task="No conflicts, please." free=stride also="lane""#,
            r#"threads id=machine-threads-block title="Warps of a block" block=33,2"#,
            r#"occupancy id=machine-threads-occupancy title="What fits" registers=33 threads=256 shared=4"#,
        ],
        help: "a figure that readers change: `banks`, `sectors`, `atomics`, `ballot`, `threads`, `occupancy`, with a guess before it (`ask`) or challenges (`task`, `task-2`).",
        make: |context, directive, _| Ok(explorer::explorer(context, directive)?.into()),
    },
    Entry {
        name: "figure",
        section: "Figures",
        form: Form::Block,
        usage: &[],
        help: "a figure of one of the kinds that follow.",
        make: |context, directive, _| Ok(figures::figure(context, directive)?.into()),
    },
    Entry {
        name: "panel",
        section: "Kernel panels",
        form: Form::Block,
        usage: &[
            r#"id=threads-33 title="So many threads" kernel=number_threads case="33 threads" source=threads.cu:number knobs="threads=33:1..128" block=threads counts="a0=threads" rows="instructions of warps; global sectors""#,
            r#"id=kinds title="Which image?" kernel=histogram_block cases="20003 bytes, uniform; 20003 bytes, a bell" data=yes"#,
            r#"id=find-it title="What is wrong?" faulty=tile_overwritten"#,
        ],
        help: "a kernel that readers run in the page, beside its listing: with other cases, kernels (`kernels`), numbers (`knobs`, on which `grid`, `block`, `shared`, `counts` of buffers and `scalars` by position depend) and inputs (`data`). `heat` is the row that is shown line by line.",
        make: |context, directive, page| panel::panel(context, directive, &mut page.shown),
    },
    Entry {
        name: "stepper",
        section: "Steppers",
        form: Form::Block,
        usage: &[
            r#"id=who-waits title="Who waits?" kernel=uneven_work case="128 threads" source=barriers.cu:work at=barrier"#,
            r#"id=who-wrote-it title="Who wrote the word?" faulty=tile_overwritten at=finding"#,
        ],
        help: "a launch that readers step forwards and back, beside its listing. It begins at the first instruction, or behind the first event that `at` names (`divergence`, `conflict`, `scattered`, `atomic`, `barrier`, `finding`, `shared`, `global`), of any warp or of `warp` of block 0. `launch` is the number of the case's launch, from 0.",
        make: |context, directive, page| stepper::stepper(context, directive, &mut page.shown),
    },
    Entry {
        name: "play",
        section: "Figures that play",
        form: Form::Block,
        usage: &[
            r#"id=scan-tree title="The tree" kernel=scan_blelloch case="tile 64, 1 block" block=8 shared=64 scalars="2=i32:16; 3=i32:16" arrays="temp=shared:f32:16""#,
            r#"id=places title="Who goes where" kernel=compact_atomic case="33 elements, half kept" arrays="in=in:i32:33; out=out:i32:33" by=store"#,
            r#"id=waves title="Tiles" kernel=sat_look_back case="128×128, small whole numbers" grid=across counts="image=16384*across; table=16384*across" scalars="2=u32:128*across" knobs="across=3:1..6; order=0:0..9" tiles="table=128*across,128/128,128""#,
        ],
        help: "what launches do to arrays, round by round, drawn from the events of their run: which thread writes which element, from which elements. `arrays` are in shared memory of block 0 or in buffers; a round ends `by` a `barrier` of block 0, a `store` of a warp to an array, or a `launch`. a row has `columns` elements; `key` is the round that is shown first, and without JavaScript. The launch is changed as in a panel, scalars of several launches by `set` (launch.argument), and `fill` gives a buffer other elements (`in=3 1 7`, or `in:f32=3 1 7` where its type is another). With `tiles` (a buffer, width and height of the table in it, width and height of a tile) it is the order in which blocks of one launch write the tiles of a table, wave by wave. Readers change `knobs` as in a panel, one of which may be called `order`, the order of threads, and choose `data` for the buffer of `fill`: names with a generator or an expression of the index (`noise: random(min=0, max=9, seed=1); all equal: 5`), or numbers of their own.",
        make: |context, directive, page| play::play(context, directive, &mut page.shown),
    },
    Entry {
        name: "targets",
        section: "Tables",
        form: Form::Block,
        usage: &[r#"kernels="scan_blelloch" case="tile 512, 1 block" targets="g80 h200" rows="shared wavefronts""#],
        help: "the same launch on other simulated GPUs.",
        make: |context, directive, _| Ok(targets::targets(context, directive)?.into()),
    },
    Entry {
        name: "bank-map",
        section: "Figures",
        form: Form::Block,
        usage: &[r#"tile=512 round=3 paddings="none 32""#],
        help: "the banks of the first warp's right words in one round of the tree, for each padding.",
        make: |context, directive, _| Ok(banks::bank_map(context, directive)?.into()),
    },
    Entry {
        name: "rounds",
        section: "Tables",
        form: Form::Block,
        usage: &[
            r#"kernels="scan_blelloch scan_blelloch_padded" paddings="none 32" tile=512 case="tile 512, 1 block""#,
        ],
        help: "round by round of the scan's tree.",
        make: |context, directive, _| Ok(banks::rounds(context, directive)?.into()),
    },
    about(
        "finding-index",
        "an overview of the kinds of findings, with a page for each below the chapter.",
        |context, _, _| Ok(reference::findings::index(context.below)?.into()),
    ),
    // Where there is a course, its list stands in the place of the directive already.
    about(
        "exercise-index",
        "a list of the groups of exercises, with a page for each below the chapter, on which they are solved.",
        |_, _, _| Ok(html! { p { "This book was built without its exercises." } "\n" }.into()),
    ),
    about(
        "counter-index",
        "an overview of the counters, with a page for each family below the chapter.",
        |context, _, _| Ok(reference::counters::index(context.runs, context.below).into()),
    ),
    about("instructions", "the PTX instructions that are simulated.", |_, _, _| {
        Ok(instructions::instructions()?.into())
    }),
    about("absent", "those that are not.", |_, _, _| Ok(instructions::absent()?.into())),
    Entry {
        name: "claims",
        section: "Pages about the simulator",
        form: Form::Block,
        usage: &["gems", "verdict=erratum"],
        help: "claims of the papers, each with what a run says of it.",
        make: |_, directive, _| Ok(claims::claims(directive)?.into()),
    },
    Entry {
        name: "time",
        section: "Pages about the simulator",
        form: Form::Block,
        usage: &["numbers", "figures", "open", "rows problem=reduction"],
        help: "predicted beside measured times: the constants, the errors, what is open, and a problem's rows.",
        make: |_, directive, _| Ok(time::time(directive)?.into()),
    },
    about("sanitizer", "what compute-sanitizer says of the catalogue's kernels.", |_, _, _| {
        Ok(sanitizer::sanitizer()?.into())
    }),
    about("sanitized-problems", "what it says of the problems' versions.", |_, _, _| Ok(sanitizer::problems()?.into())),
    about("closing", "the line that closes the comparison of everything.", |context, _, _| {
        Ok(tables::closing(context)?.into())
    }),
    about("agreement", "the comparison, kernel by kernel.", |context, _, _| Ok(tables::agreement(context)?.into())),
    about(
        "machine-agreement",
        "the comparison of executed machine code with what a GPU counted of it, problem by problem.",
        |context, _, _| Ok(machine::agreement(context)?.into()),
    ),
    about("provenance", "where the records come from.", |context, _, _| Ok(tables::provenance(context)?.into())),
    about("known", "what is known to differ between simulator and hardware.", |_, _, _| Ok(tables::known()?.into())),
];

/// `page SLUG "Title"`, which no block may hold.
fn page_break(directive: &mut Directive, page: &Page) -> Result<Markdown, Reason> {
    if !page.open.is_empty() {
        return Err(Reason::Wrong("a page cannot end within a block: put `end` before it".to_owned()));
    }
    Ok(parts::mark(directive)?)
}

/// The directive of a name.
///
/// # Errors
/// A sentence with all names.
pub(crate) fn find(name: &str) -> Result<&'static Entry, Reason> {
    DIRECTIVES.iter().find(|entry| entry.name == name).ok_or_else(|| {
        let names: Vec<&str> = DIRECTIVES.iter().map(|entry| entry.name).collect();
        Reason::Wrong(format!("there is no directive `{name}`; there are {}", names.join(", ")))
    })
}
