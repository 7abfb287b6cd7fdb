//! Well-formed programs that make no sense: every instruction is one that PTX has, its registers have the right
//! classes and its labels exist, but addresses, masks, barriers and jumps are anybody's guess. Nothing that such a
//! program does may make the simulator panic, hang, or call a fault its own.

use std::fmt::Write;

use arbitrary::{Result, Unstructured};
use sim::{Arg, Checks, Dim3, ErrorClass, Launch, Lowering, Module, Options, simulate};

mod templates;

use templates::TEMPLATES;

/// Lane-local forms that real kernels use; see the file.
const FORMS: &str = include_str!("../data/lane-local-forms.txt");

/// What bytes make.
#[derive(Debug)]
pub(crate) struct Wild {
    pub(crate) text: String,
    blocks: u32,
    threads: u32,
    shared: u32,
}

impl Wild {
    /// Any bytes make a program.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Self {
        let mut input = Unstructured::new(bytes);
        let mut text = String::new();
        let shape = draw(&mut input, &mut text).unwrap_or((1, 1, 0));
        let labels: String = (0..LABELS).map(|label| format!("END{label}:\n")).collect();
        let text = format!("{HEAD}{text}{labels}ret;\n}}\n");
        Self { text, blocks: shape.0, threads: shape.1, shared: shape.2 }
    }

    /// Runs it in every way there is; false when it holds something unsupported or a fault that shows before it runs.
    ///
    /// # Panics
    /// When the simulator panics, or blames itself.
    pub(crate) fn survive(&self) -> bool {
        let mut ran = true;
        let module = Module::parse("wild.ptx", &self.text).unwrap_or_else(|error| panic!("{error}\n{}", self.text));
        for (lowering, checks) in [(Lowering::Sm90, Checks::ALL), (Lowering::None, Checks::NONE)] {
            let words: Vec<u32> = (0..512).collect();
            let launch = Launch {
                grid: Dim3::linear(self.blocks),
                block: Dim3::linear(self.threads),
                shared_bytes: self.shared,
                args: vec![Arg::Zeros(4096), Arg::buffer_of(&words)],
            };
            let options = Options { lowering, checks, budget: 4_000, ..Options::default() };
            if let Err(error) = simulate(&module, "k", &launch, &options) {
                ran = false;
                assert!(error.class() != ErrorClass::Internal, "{error}\n{}", self.text);
            }
        }
        ran
    }
}

/// Jump targets; those that no instruction stands at lie at the end.
const LABELS: usize = 6;

const HEAD: &str = "\
.version 9.0
.target sm_90
.address_size 64
.extern .shared .align 16 .b8 dynamic[];
.global .align 8 .b32 table[4] = {1, 2, 3, 4};
.const .align 8 .b32 constants[4] = {5, 6, 7, 8};
.global .align 8 .b64 calls[3] = {f, g, h};
.func (.param .b32 result) f (.param .b32 a)
{
.reg .b32 %x;
ld.param.b32 %x, [a];
add.u32 %x, %x, 1;
st.param.b32 [result], %x;
ret;
}
.func (.param .b32 result) g (.param .b32 a)
{
.reg .b32 %x;
ld.param.b32 %x, [a];
bar.sync 0;
st.param.b32 [result], %x;
ret;
}
.func (.param .b32 result) h (.param .b32 a)
{
.reg .b32 %x, %y;
.reg .pred %q;
.local .align 4 .b8 own[4];
ld.param.b32 %x, [a];
and.b32 %x, %x, 7;
st.local.b32 [own], %x;
setp.eq.u32 %q, %x, 0;
@%q bra LAST;
sub.u32 %x, %x, 1;
{ .param .b32 u, v; st.param.b32 [u], %x; call (v), h, (u); ld.param.b32 %x, [v]; }
LAST:
ld.local.b32 %y, [own];
add.u32 %x, %x, %y;
st.param.b32 [result], %x;
ret;
}
.visible .entry k(.param .u64 out, .param .u64 words)
{
.reg .b16 %h<4>;
.reg .b32 %r<6>;
.reg .b64 %d<6>;
.reg .pred %p<4>;
.shared .align 16 .b8 still[256];
.local .align 16 .b8 array[64];
.shared .align 8 .b64 gate;
prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
ld.param.u64 %d0, [out];
ld.param.u64 %d1, [words];
mov.u64 %d2, array;
cvta.local.u64 %d2, %d2;
mov.u32 %r0, %tid.x;
mul.lo.u32 %r1, %r0, 4;
mov.u32 %r2, still;
mov.u32 %r3, %ctaid.x;
mov.b32 %r4, 0xffffffff;
mad.wide.u32 %d3, %r0, 4, %d0;
";

fn draw(input: &mut Unstructured<'_>, text: &mut String) -> Result<(u32, u32, u32)> {
    let shape = (input.int_in_range(1..=3)?, input.int_in_range(1..=70)?, *input.choose(&[0, 64, 1024])?);
    let forms: Vec<&str> = FORMS.lines().filter(|line| !line.starts_with('#')).collect();
    let mut placed = 0;
    let mut count = 0;
    while !input.is_empty() && count < 120 {
        count += 1;
        if placed < LABELS && input.ratio(1, 12)? {
            let _ = writeln!(text, "AT{placed}:");
            placed += 1;
        }
        let form = *input.choose(&forms)?;
        let template = if input.ratio(3, 5)? { Some(TEMPLATES[input.choose_index(TEMPLATES.len())?]) } else { None };
        // A guard stands before an instruction, not before a scope.
        if input.ratio(1, 6)? && !template.is_some_and(|template| template.starts_with('{')) {
            let negated = if input.arbitrary()? { "!" } else { "" };
            let _ = write!(text, "@{negated}%p{} ", input.int_in_range(0..=3)?);
        }
        match template {
            Some(template) => fill(input, text, template)?,
            None => lane_local(input, text, form)?,
        }
    }
    // Jumps go to places that exist: unplaced labels stand at the end.
    for label in placed..LABELS {
        *text = text.replace(&format!("AT{label};"), &format!("END{label};"));
    }
    Ok(shape)
}

/// One of the forms with registers of its operands' classes.
fn lane_local(input: &mut Unstructured<'_>, text: &mut String, form: &str) -> Result<()> {
    let parts: Vec<&str> = form.split('.').collect();
    let Ok(Some((_, signature))) = sim::semantics::LaneOp::decode(&parts) else {
        text.push_str("exit;\n");
        return Ok(());
    };
    let _ = write!(text, "{form} ");
    for (at, kind) in std::iter::once(&signature.dst).chain(signature.src.iter()).enumerate() {
        let register = match kind.bits() {
            _ if *kind == sim::semantics::ScalarType::Pred => format!("%p{}", input.int_in_range(0..=3)?),
            64 => format!("%d{}", input.int_in_range(0..=5)?),
            8 | 16 => format!("%h{}", input.int_in_range(0..=3)?),
            _ => format!("%r{}", input.int_in_range(0..=5)?),
        };
        let _ = write!(text, "{}{register}", if at == 0 { "" } else { ", " });
    }
    text.push_str(";\n");
    Ok(())
}

/// Fills the holes of a template.
fn fill(input: &mut Unstructured<'_>, text: &mut String, template: &str) -> Result<()> {
    let mut rest = template;
    while let Some(at) = rest.find(['R', 'D', 'H', 'P', '#', '$', '@']) {
        text.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'R' => drop(write!(text, "%r{}", input.int_in_range(0..=5)?)),
            b'D' => drop(write!(text, "%d{}", input.int_in_range(0..=5)?)),
            b'H' => drop(write!(text, "%h{}", input.int_in_range(0..=3)?)),
            b'P' => drop(write!(text, "%p{}", input.int_in_range(0..=3)?)),
            b'#' => drop(write!(text, "{}", number(input)?)),
            b'$' => text.push_str(address(input, template)?),
            _ => drop(write!(text, "AT{}", input.int_in_range(0..=LABELS - 1)?)),
        }
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    text.push('\n');
    Ok(())
}

fn number(input: &mut Unstructured<'_>) -> Result<u32> {
    Ok(match input.int_in_range(0..=3u8)? {
        0 => input.arbitrary()?,
        1 => *input.choose(&[0xffff_ffff, 0x1f, 1, 0x8000_0000, 0x3f80_0000])?,
        _ => input.int_in_range(0..=40)?,
    })
}

/// Addresses that are mostly, but not always, those of something in the instruction's space.
fn address(input: &mut Unstructured<'_>, template: &str) -> Result<&'static str> {
    let named: &[&str] = if template.contains(".shared.global") {
        &["[%d0]", "[%d1+16]", "[%d3]", "[table]"]
    } else if template.contains(".shared") {
        &["[%r2]", "[%r2+32]", "[still+16]", "[dynamic]", "[gate]", "[%r1]"]
    } else if template.contains(".local") {
        &["[array]", "[array+8]", "[%r1]"]
    } else if template.contains(".const") {
        &["[constants]", "[constants+4]", "[%r1]"]
    } else if template.contains(".global") {
        &["[table+4]", "[%d0]", "[%d1+8]", "[%d3]", "[%d3+64]"]
    } else {
        &["[%d0]", "[%d1+8]", "[%d3]", "[%d2]", "[%d2+16]"]
    };
    if input.ratio(1, 8)? {
        return Ok(input.choose(&["[%d4]", "[%d5-4]", "[%d1+2]", "[%r0]", "[%d2]"])?);
    }
    Ok(input.choose(named)?)
}
