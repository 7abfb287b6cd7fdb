//! Makes what the simulator is given of what a session says: buffers, variables, and the arguments of each launch.

use sim::{Arg, Checks, Dim3, Launch, Options, simulate};

use super::SpecError;
use super::argument::{self, Argument, Pointer, Value};
use super::content::{Content, Context};
use super::element::Element;
use super::expression;
use super::memory::{Memory, aliases, fill, find, keep, set_symbols};
use super::native::Twin;
use super::run::RunError;
use super::signature::Signature;
use super::spec::{LaunchSpec, Session};
use crate::names::NameError;
use crate::open::Opened;

/// What a user is told who asks for a GPU.
const NO_ADDRESSES: &str = "addresses in structs and in buffers are not handed to a GPU yet";

/// One launch of a session, for whoever runs it in another way than [`run`](super::run::run).
#[derive(Debug, Clone, PartialEq)]
pub struct Prepared {
    /// The kernel's name in the PTX.
    pub kernel: String,
    /// The launch.
    pub launch: Launch,
    /// Its buffers in global memory, in the order of their addresses.
    pub buffers: Vec<PreparedBuffer>,
    /// How many launches the session makes, those that are repeated included.
    pub launches: usize,
}

/// A buffer of a launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedBuffer {
    /// Its name, or the number of the argument that it belongs to.
    pub key: String,
    /// Which argument of [`Prepared::launch`] holds it.
    pub argument: usize,
    /// Size in bytes.
    pub bytes: u64,
    /// The type of its elements, if it was told.
    pub element: Option<Element>,
}

/// Prepares one launch of a session, counted from 0; those before it are simulated without checks.
///
/// # Errors
/// [`RunError`], when there is no such launch, too, or when one before it does not come to its end.
pub fn prepare(session: &Session, opened: &mut Opened, options: &Options, at: usize) -> Result<Prepared, RunError> {
    let context = session.context();
    let mut memory = begin(session, opened)?;
    let launches = session.launches.iter().map(|launch| launch.repeat as usize).sum();
    if at >= launches {
        let one = if launches == 1 { "there is one launch" } else { "the launches are" };
        let which = if launches == 1 { String::new() } else { format!(" 1 to {launches}") };
        return Err(SpecError::Usage(format!("there is no launch {}: {one}{which}", at + 1)).into());
    }
    let all =
        session.launches.iter().enumerate().flat_map(|(index, spec)| (0..spec.repeat).map(move |_| (index, spec)));
    for (number, (index, spec)) in all.enumerate().take(at + 1) {
        let wanted = wanted(session, (index, spec), opened)?;
        memory.retain(|buffer| buffer.shared);
        set_symbols(opened, &spec.symbols, context, &memory)?;
        let launch = launch(&wanted, &mut memory, None)?;
        let kernel = wanted.signature.ptx_name;
        if number == at {
            let of = |(index, buffer): (usize, &Memory)| PreparedBuffer {
                key: buffer.key.clone(),
                argument: spec.args.len() + index,
                bytes: buffer.content.bytes,
                element: buffer.content.element,
            };
            let buffers = memory.iter().enumerate().map(of).collect();
            return Ok(Prepared { kernel, launch, buffers, launches });
        }
        let plain = Options { checks: Checks::NONE, schedules: 1, ..options.clone() };
        let outcome = simulate(&opened.module, &kernel, &launch, &plain)?;
        if let Some(finding) = outcome.report.findings.iter().find(|finding| finding.kind.ends_launch()) {
            let message = format!(
                "launch {} does not come to its end, so that launch {} is not run: {}, line {}: {}",
                number + 1,
                at + 1,
                finding.file,
                finding.line,
                finding.message
            );
            return Err(SpecError::Usage(message).into());
        }
        keep(&mut memory, outcome.buffers.into_iter().skip(spec.args.len()));
        opened.keep_variables(&outcome.variables);
    }
    Err(sim::Error::Internal("a launch that was counted is not there".to_owned()).into())
}

/// What is there before the first launch: the buffers that have names, and the module's variables.
pub(super) fn begin(session: &Session, opened: &mut Opened) -> Result<Vec<Memory>, RunError> {
    let context = session.context();
    let mut memory = Vec::new();
    for (name, text) in &session.buffers {
        let what = format!("buffer `{name}`");
        if !expression::is_name(name) {
            return Err(SpecError::Usage(format!(
                "{what}: a name has letters, digits and _, and begins with no digit"
            ))
            .into());
        }
        if session.names.contains_key(name) {
            return Err(SpecError::Usage(format!(
                "{what}: a number is called so, too; one of them needs another name"
            ))
            .into());
        }
        let buffer = argument::buffer(text, context).map_err(|error| error.inside(&what))?;
        let buffer = buffer.ok_or_else(|| {
            SpecError::Usage(format!(
                "{what}: `{text}` is no buffer; write f32[1024]=random or zeros:4096, for example"
            ))
        })?;
        let (content, pointers) = (buffer.content, buffer.pointers);
        memory.push(Memory { key: name.clone(), content, pointers, shared: true });
    }
    set_symbols(opened, &session.symbols, context, &memory)?;
    Ok(memory)
}

/// A launch, looked up.
pub(super) struct Wanted<'a> {
    pub(super) spec: &'a LaunchSpec,
    pub(super) context: Context<'a>,
    pub(super) signature: Signature,
    block: Dim3,
}

/// Looks up the kernel of a launch, the one with this number in the session.
pub(super) fn wanted<'a>(
    session: &'a Session,
    (index, spec): (usize, &'a LaunchSpec),
    opened: &Opened,
) -> Result<Wanted<'a>, RunError> {
    let kernel = opened.kernel(spec.kernel.as_deref())?;
    let of_launch = |error: SpecError| {
        if session.launches.len() > 1 { error.inside(&format!("launch {}", index + 1)) } else { error }
    };
    let signature = Signature::of(&opened.module, &kernel, opened.declarations());
    let signature = signature.ok_or_else(|| NameError::None(opened.name.clone()))?;
    let block = fits(spec, &signature, &opened.name).map_err(of_launch)?;
    Ok(Wanted { spec, context: session.context(), signature, block })
}

/// Holds the number of arguments against the kernel's parameters, and finds the size of the block.
fn fits(spec: &LaunchSpec, signature: &Signature, file: &str) -> Result<Dim3, SpecError> {
    let (given, params) = (spec.args.len(), signature.params.len());
    let block = spec.block.or(signature.required_threads.map(Dim3::from));
    let wrong = match block {
        _ if given != params => {
            let takes = if params == 1 { "1 argument".to_owned() } else { format!("{params} arguments") };
            format!("the kernel takes {takes}, and {given} {} given", if given == 1 { "is" } else { "are" })
        }
        Some(block) => return Ok(block),
        None => "--block is missing, the number of threads per block".to_owned(),
    };
    let list: String =
        signature.params.iter().enumerate().map(|(index, param)| format!("\n  {index}: {}", param.text)).collect();
    let params = if list.is_empty() { "it has no parameters".to_owned() } else { format!("its parameters are:{list}") };
    let command = signature.command(file);
    Err(SpecError::Usage(format!("{wrong}; {params}\n`{}` can be launched like this:\n  {command}", signature.name)))
}

/// What the simulator is given of a launch. Buffers of its own are added to `memory`; `twin` gets the same.
pub(super) fn launch(
    wanted: &Wanted<'_>,
    memory: &mut Vec<Memory>,
    mut twin: Option<&mut Twin>,
) -> Result<Launch, RunError> {
    let Wanted { spec, context, signature, block } = wanted;
    let mut values: Vec<Value> = Vec::new();
    for (index, text) in spec.args.iter().enumerate() {
        let element = signature.params[index].scalar;
        let parsed = argument::parse(text, element, *context);
        values.push(match parsed.map_err(|error| error.inside(&format!("argument {index}")))? {
            Argument::Value(value) => value,
            Argument::Buffer(buffer) => {
                let (content, pointers) = (buffer.content, buffer.pointers);
                memory.push(Memory { key: index.to_string(), content, pointers, shared: false });
                let pointers = vec![Pointer { at: 0, to: index.to_string(), offset: 0 }];
                Value { bytes: vec![0; 8], pointers }
            }
        });
    }
    let aliases = aliases(&values);
    let mut args = Vec::new();
    for (index, mut value) in values.into_iter().enumerate() {
        let what = format!("argument {index}");
        if let [pointer] = &value.pointers[..]
            && value.bytes.len() == 8
        {
            let at = find(memory, &aliases, &pointer.to).map_err(|error| error.inside(&what))?;
            args.push(Arg::Address { argument: spec.args.len() + at, offset: pointer.offset });
        } else {
            if let (Some(twin), false) = (&mut twin, value.pointers.is_empty()) {
                twin.refuse(NO_ADDRESSES);
            }
            fill(&mut value.bytes, &value.pointers, memory, &aliases).map_err(|error| error.inside(&what))?;
            args.push(Arg::Bytes(value.bytes));
        }
    }
    let bytes = memory.iter().fold(0u64, |sum, buffer| sum.saturating_add(buffer.content.bytes));
    // A buffer that is only read takes none, but what a launch leaves is given back whole.
    if usize::try_from(bytes).ok().is_none_or(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_err()) {
        return Err(RunError::Memory(bytes));
    }
    let mut contents: Vec<sim::Content> =
        memory.iter_mut().map(|buffer| std::mem::take(&mut buffer.content.data)).collect();
    for (buffer, content) in memory.iter().zip(&mut contents) {
        if !buffer.pointers.is_empty() {
            if let Some(twin) = &mut twin {
                twin.refuse(NO_ADDRESSES);
            }
            let mut data = std::mem::take(content).into_vec();
            data.resize(buffer.content.bytes as usize, 0);
            fill(&mut data, &buffer.pointers, memory, &aliases).map_err(|error| error.inside(&buffer.title()))?;
            *content = data.into();
        }
    }
    for (buffer, content) in memory.iter_mut().zip(contents) {
        // Written once: from now on the kernels may change the addresses.
        buffer.pointers.clear();
        let Content { bytes, written, .. } = buffer.content;
        args.push(Arg::Memory { name: buffer.title(), bytes, content, written });
    }
    let launch = Launch { grid: spec.grid, block: *block, shared_bytes: spec.shared_bytes, args };
    if let Some(twin) = twin {
        twin.push(&signature.ptx_name, &launch, memory.iter().filter(|buffer| buffer.shared).count());
    }
    Ok(launch)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::super::run::run;
    use super::*;

    /// Doubles a word, and traps where it is 4.
    const TWICE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry twice(.param .u64 p) {\n\
                         .reg .b64 %rd<2>; .reg .b32 %r<2>; .reg .pred %p<2>;\nld.param.u64 %rd1, [p];\n\
                         ld.global.u32 %r1, [%rd1];\nsetp.eq.u32 %p1, %r1, 4;\n@%p1 trap;\nshl.b32 %r1, %r1, 1;\n\
                         st.global.u32 [%rd1], %r1;\nret;\n}\n";

    fn session(first: u32) -> Session {
        let text = format!(
            "file = \"twice.ptx\"\n[buffers]\nx = \"i32[1]={first}\"\n[[launches]]\ngrid = 1\nblock = 1\nrepeat = 2\n\
             args = [\"&x\"]\n[[launches]]\ngrid = 1\nblock = 32\nargs = [\"&x\"]\n"
        );
        Session::parse(&text, Path::new("twice.toml"), &BTreeMap::new()).unwrap()
    }

    fn prepared(session: &Session, at: usize) -> Result<Prepared, RunError> {
        let mut opened = Opened::of_ptx("twice.ptx", TWICE).unwrap();
        prepare(session, &mut opened, &Options::default(), at)
    }

    #[test]
    fn a_launch_finds_what_those_before_it_leave() {
        let session = session(3);
        for (at, value) in [(0, 3), (1, 6), (2, 12)] {
            let prepared = prepared(&session, at).unwrap();
            assert_eq!((&prepared.kernel[..], prepared.launches), ("twice", 3));
            let buffer = &prepared.buffers[0];
            assert_eq!((&buffer.key[..], buffer.argument, buffer.bytes), ("x", 1, 4));
            let Arg::Memory { content, .. } = &prepared.launch.args[buffer.argument] else { panic!("no buffer") };
            assert_eq!(content[..], i32::to_le_bytes(value)[..], "launch {at}");
            assert_eq!(prepared.launch.block.x, if at == 2 { 32 } else { 1 });
        }
        // All of them together leave what the last of them makes of it.
        let mut opened = Opened::of_ptx("twice.ptx", TWICE).unwrap();
        assert_eq!(run(&session, &mut opened, &Options::default(), None, None).unwrap().launches.len(), 3);
    }

    #[test]
    fn what_cannot_be_prepared_says_why() {
        let error = prepared(&session(3), 3).unwrap_err();
        assert_eq!(error.to_string(), "there is no launch 4: the launches are 1 to 3");
        assert_eq!(error.exit_code(), 2);
        let error = prepared(&session(2), 2).unwrap_err().to_string();
        assert!(error.contains("launch 2 does not come to its end, so that launch 3 is not run"), "{error}");
        assert!(prepared(&session(2), 1).is_ok(), "the one that traps can be looked at itself");
    }
}
