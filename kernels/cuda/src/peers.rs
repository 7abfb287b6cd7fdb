//! Algorithms of others: CUB's and NPP's, compiled on this machine from `peers/cub.cu` and `peers/npp.cu` and called in
//! this process, so that they work on the same memory and are timed by the same stopwatch as the workbook's kernels.

use std::collections::BTreeMap;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::{self, JoinHandle};
use std::{fs, io, ptr};

use libloading::Library;
use tempfile::TempDir;

use crate::nvcc::{self, Nvcc};

/// A harness, which becomes one library per operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// Whose algorithms they are.
    pub library: &'static str,
    /// The file's name.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What is linked.
    pub links: &'static [&'static str],
}

const CUB: Source = Source { library: "CUB", file: "cub.cu", text: include_str!("../../peers/cub.cu"), links: &[] };

const NPP: Source =
    Source { library: "NPP", file: "npp.cu", text: include_str!("../../peers/npp.cu"), links: &["-lnppist", "-lnppc"] };

/// The harness of an operation.
#[must_use]
pub fn source(operation: &str) -> Source {
    if operation.starts_with("NPP_") { NPP } else { CUB }
}

/// The C function of a harness: temporary memory and its size, inputs, outputs, number of elements.
type Function = unsafe extern "C" fn(*mut c_void, *mut usize, *const *const c_void, *const *mut c_void, u64) -> c_int;

/// The harnesses of this machine, on their way or loaded.
#[derive(Debug)]
pub struct Peers {
    /// Version of the nvcc that compiles them.
    pub nvcc: String,
    building: BTreeMap<&'static str, JoinHandle<Result<PathBuf, String>>>,
    loaded: BTreeMap<&'static str, Result<Harness, String>>,
    // The libraries lie here.
    _folder: TempDir,
}

/// One operation that can be called.
#[derive(Debug)]
pub struct Harness {
    function: Function,
    error: unsafe extern "C" fn(c_int) -> *const c_char,
    /// `CUB_VERSION` of the headers: 300001 is 3.0.1. NPP's in the same form.
    pub version: i32,
    // Never closed: CUDA's runtime in it has registered what it does when the process ends.
    _library: ManuallyDrop<Library>,
}

impl Peers {
    /// Begins to compile `operations` for GPUs of this compute capability (`9.0`), all side by side in the background.
    ///
    /// # Errors
    /// Why there is nothing to compile with, as a sentence.
    pub fn start(operations: &[&'static str], compute_capability: &str) -> Result<Self, String> {
        let nvcc = nvcc::get().map_err(|error| error.to_string().lines().collect::<Vec<_>>().join(" "))?;
        let folder = tempfile::tempdir().map_err(|why| format!("no folder for the peers can be made: {why}"))?;
        for source in [CUB, NPP] {
            let file = folder.path().join(source.file);
            fs::write(&file, source.text)
                .map_err(|why: io::Error| format!("{} cannot be written: {why}", file.display()))?;
        }
        let arch = format!("-arch=sm_{}", compute_capability.replace('.', ""));
        let build = |&operation: &&'static str| {
            let (nvcc, folder, arch) = (nvcc.clone(), folder.path().to_owned(), arch.clone());
            (operation, thread::spawn(move || compile(&nvcc, &folder, operation, &arch)))
        };
        let building = operations.iter().map(build).collect();
        Ok(Self { nvcc: nvcc.version, building, loaded: BTreeMap::new(), _folder: folder })
    }

    /// An operation, after waiting for its compiler.
    ///
    /// # Errors
    /// Why it cannot be called, as a sentence.
    pub fn get(&mut self, operation: &'static str) -> Result<&Harness, String> {
        if let Some(thread) = self.building.remove(operation) {
            let built = thread.join().unwrap_or_else(|_| Err("its compiler's thread ended early".to_owned()));
            self.loaded.insert(operation, built.and_then(|file| Harness::load(&file)));
        }
        match self.loaded.get(operation) {
            Some(Ok(harness)) => Ok(harness),
            Some(Err(why)) => Err(why.clone()),
            None => Err(format!("the harness has no operation {operation}")),
        }
    }

    /// The version of CUB in the headers: `3.0.1`; `None` while nothing of it is loaded.
    pub fn cub_version(&self) -> Option<String> {
        self.version(CUB)
    }

    /// The same of NPP.
    pub fn npp_version(&self) -> Option<String> {
        self.version(NPP)
    }

    fn version(&self, of: Source) -> Option<String> {
        let mut loaded = self.loaded.iter().filter(|(operation, _)| source(operation) == of);
        loaded.find_map(|(_, harness)| Some(readable(harness.as_ref().ok()?.version)))
    }
}

/// `CUB_VERSION` as a person writes it: until 2.x in steps of 100,000, 100 and 1, and the same since.
fn readable(version: i32) -> String {
    format!("{}.{}.{}", version / 100_000, version / 100 % 1000, version % 100)
}

/// Compiles one operation into a library.
fn compile(nvcc: &Nvcc, folder: &Path, operation: &str, arch: &str) -> Result<PathBuf, String> {
    let source = source(operation);
    let library = folder.join(format!("{operation}.so"));
    let mut command = Command::new(&nvcc.program);
    command.args(["-shared", "-O3", "-std=c++17", arch, "-Xcompiler", "-fPIC", "--allow-unsupported-compiler"]);
    command.arg(format!("-DPEER_{operation}")).arg("-o").arg(&library).arg(folder.join(source.file)).args(source.links);
    for include in &nvcc.includes {
        command.arg("-isystem").arg(include);
    }
    let output = command.stdin(Stdio::null()).output().map_err(|why| format!("nvcc cannot be started: {why}"))?;
    if output.status.success() {
        return Ok(library);
    }
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let line = log.lines().find(|line| line.contains("error") || line.contains("fatal")).or_else(|| log.lines().next());
    let library = source.library;
    Err(format!("nvcc does not compile or link {library}'s {operation}: {}", line.unwrap_or("it says nothing").trim()))
}

impl Harness {
    fn load(file: &Path) -> Result<Self, String> {
        let failed = |why: libloading::Error| format!("the compiled {} cannot be loaded: {why}", file.display());
        // SAFETY: the library was just compiled from our own source; its constructors are those of CUDA's runtime.
        // The functions have the types that the source declares, and the library stays loaded for ever.
        unsafe {
            let library = Library::new(file).map_err(failed)?;
            let function = *library.get::<Function>(b"warpbook_peer\0").map_err(failed)?;
            let error = *library
                .get::<unsafe extern "C" fn(c_int) -> *const c_char>(b"warpbook_peer_error\0")
                .map_err(failed)?;
            let version = library.get::<unsafe extern "C" fn() -> c_int>(b"warpbook_peer_version\0").map_err(failed)?;
            let version = version();
            Ok(Self { function, error, version, _library: ManuallyDrop::new(library) })
        }
    }

    /// How many bytes of temporary memory the operation needs.
    ///
    /// # Errors
    /// CUDA's description of what went wrong.
    pub fn temp_bytes(&self, reads: &[u64], writes: &[u64], count: u64) -> Result<u64, String> {
        let mut bytes = 0;
        self.call(0, &mut bytes, reads, writes, count)?;
        Ok(bytes as u64)
    }

    /// Queues the operation on the null stream. All addresses are the GPU's, and `temp` has as many bytes as
    /// [`Harness::temp_bytes`] says, and at least one.
    ///
    /// # Errors
    /// CUDA's description of what went wrong.
    pub fn start(&self, temp: (u64, u64), reads: &[u64], writes: &[u64], count: u64) -> Result<(), String> {
        let mut bytes = temp.1 as usize;
        self.call(temp.0, &mut bytes, reads, writes, count)
    }

    fn call(&self, temp: u64, bytes: &mut usize, reads: &[u64], writes: &[u64], count: u64) -> Result<(), String> {
        let address = |&address: &u64| ptr::without_provenance_mut::<c_void>(address as usize);
        let reads: Vec<*const c_void> = reads.iter().map(|read| address(read).cast_const()).collect();
        let writes: Vec<*mut c_void> = writes.iter().map(address).collect();
        // SAFETY: the function has this type and reads as many addresses as the operation has inputs and outputs, which
        // the workload lists. It does not follow them itself; what CUB's kernels do there the GPU's protection checks.
        let code = unsafe { (self.function)(address(&temp), bytes, reads.as_ptr(), writes.as_ptr(), count) };
        if code == 0 {
            return Ok(());
        }
        // SAFETY: returns a static, zero-terminated string for every code.
        let text = unsafe { CStr::from_ptr((self.error)(code)) };
        Err(format!("{} ({code})", text.to_string_lossy()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_readable() {
        assert_eq!(
            (readable(300_001), readable(200_802), readable(301_203)),
            ("3.0.1".into(), "2.8.2".into(), "3.12.3".into())
        );
    }
}
