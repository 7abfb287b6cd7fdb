//! The loaded NVRTC library: the eleven functions of its C interface that we call, each made safe.
//!
//! The signatures are those of `nvrtc.h`; they have not changed since CUDA 8. Result codes stay plain integers: a
//! newer NVRTC may return codes that no Rust enum of ours would know.

use super::{OLDEST, Origin};
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem::ManuallyDrop;
use std::path::{Path, PathBuf};
use std::ptr::{null, null_mut};

/// `nvrtcProgram`: a pointer to something that only NVRTC looks into.
type Program = *mut c_void;
/// `nvrtcResult`: 0 is success.
type Code = c_int;
/// `NVRTC_ERROR_COMPILATION`: the source is wrong, and the log says where.
const ERROR_COMPILATION: Code = 6;

/// The functions that we call, as they were when the library was loaded.
struct Api {
    get_error_string: unsafe extern "C" fn(Code) -> *const c_char,
    version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Code,
    get_num_supported_archs: unsafe extern "C" fn(*mut c_int) -> Code,
    get_supported_archs: unsafe extern "C" fn(*mut c_int) -> Code,
    create_program: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Code,
    destroy_program: unsafe extern "C" fn(*mut Program) -> Code,
    compile_program: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Code,
    get_ptx_size: unsafe extern "C" fn(Program, *mut usize) -> Code,
    get_ptx: unsafe extern "C" fn(Program, *mut c_char) -> Code,
    get_log_size: unsafe extern "C" fn(Program, *mut usize) -> Code,
    get_log: unsafe extern "C" fn(Program, *mut c_char) -> Code,
}

/// A loaded NVRTC. It stays loaded until the process ends.
pub struct Nvrtc {
    path: PathBuf,
    origin: Origin,
    version: (u32, u32),
    archs: Vec<u32>,
    api: Api,
    // Never unloaded: `api` points into them, and NVRTC keeps state of its own that does not survive an unloading.
    _library: ManuallyDrop<Library>,
    _builtins: Option<ManuallyDrop<Library>>,
}

/// What a compilation gave: the PTX and the log, or the log alone.
pub(crate) struct Outcome {
    /// The PTX as NVRTC wrote it, if the source was accepted.
    pub(crate) ptx: Option<String>,
    /// NVRTC's log: errors, or the warnings of a source that was accepted.
    pub(crate) log: String,
}

/// A call into NVRTC that failed for another reason than a wrong source.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{function} failed with {name}")]
pub struct CallError {
    /// The function of `nvrtc.h`.
    pub function: &'static str,
    /// The result code's name, such as `NVRTC_ERROR_INVALID_OPTION`.
    pub name: String,
}

impl Nvrtc {
    /// Loads the library `path` after the built-ins library beside it.
    ///
    /// NVRTC opens its built-ins (`libnvrtc-builtins.so.13.0`) by bare name when it first compiles. Outside the
    /// linker's search path that works only if a library of that name is loaded already.
    ///
    /// `path` may be a bare name (`libnvrtc.so.13`): then the system's linker searches, and finds the built-ins too.
    pub(crate) fn load(path: &Path, origin: Origin) -> Result<Self, String> {
        let builtins = match path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            None => None,
            Some(folder) => {
                let file = super::find::newest_in(folder, super::find::BUILTINS)
                    .ok_or_else(|| format!("has no {}.* beside it, which it needs", super::find::BUILTINS))?;
                Some(open(&file)?)
            }
        };
        let library = open(path)?;
        let api = Api::of(&library)?;
        let path = if builtins.is_some() { path.to_owned() } else { loaded_path(path) };

        let mut version = (0, 0);
        // SAFETY: both pointers are to live integers.
        let code = unsafe { (api.version)(&mut version.0, &mut version.1) };
        if code != 0 {
            return Err(format!("does not say its version (code {code})"));
        }
        let version = (version.0.unsigned_abs(), version.1.unsigned_abs());
        if version < OLDEST {
            return Err(format!(
                "is version {}.{}, and warpbook needs {}.{} or later",
                version.0, version.1, OLDEST.0, OLDEST.1
            ));
        }
        let archs = api.supported_archs().map_err(|e| format!("does not work: {e}"))?;
        Ok(Self { path, origin, version, archs, api, _library: library, _builtins: builtins })
    }

    /// The library file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where it was found.
    #[must_use]
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Its version, such as (13, 0). The PTX that it writes names the exact build.
    #[must_use]
    pub fn version(&self) -> (u32, u32) {
        self.version
    }

    /// The architectures that it compiles for, such as 75, in ascending order.
    #[must_use]
    pub fn archs(&self) -> &[u32] {
        &self.archs
    }

    /// Compiles `text`, which the log and the line table will call `name`.
    pub(crate) fn compile(&self, name: &CStr, text: &CStr, options: &[CString]) -> Result<Outcome, CallError> {
        let mut program: Program = null_mut();
        // SAFETY: `text` and `name` end with NUL and outlive the program, which `guard` destroys before this function
        // returns; no headers are passed, so their count is 0 and their lists may be null.
        let code = unsafe { (self.api.create_program)(&mut program, text.as_ptr(), name.as_ptr(), 0, null(), null()) };
        self.api.check("nvrtcCreateProgram", code)?;
        let guard = Destroy { api: &self.api, program };

        let pointers: Vec<*const c_char> = options.iter().map(|o| o.as_ptr()).collect();
        let count = c_int::try_from(pointers.len()).expect("a handful of options");
        // SAFETY: the program was created above; `pointers` holds `count` strings that end with NUL.
        let code = unsafe { (self.api.compile_program)(guard.program, count, pointers.as_ptr()) };
        let log = self.api.text("nvrtcGetProgramLog", guard.program, self.api.get_log_size, self.api.get_log)?;
        if code == ERROR_COMPILATION {
            return Ok(Outcome { ptx: None, log });
        }
        self.api.check("nvrtcCompileProgram", code).map_err(|e| with_log(e, &log))?;
        let ptx = self.api.text("nvrtcGetPTX", guard.program, self.api.get_ptx_size, self.api.get_ptx)?;
        Ok(Outcome { ptx: Some(ptx), log })
    }
}

impl std::fmt::Debug for Nvrtc {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nvrtc").field("path", &self.path).field("version", &self.version).finish_non_exhaustive()
    }
}

/// Adds the log, where NVRTC says more about an option that it refused.
fn with_log(error: CallError, log: &str) -> CallError {
    if log.is_empty() { error } else { CallError { name: format!("{}: {log}", error.name), ..error } }
}

/// Destroys the program when a compilation ends, however it ends.
struct Destroy<'a> {
    api: &'a Api,
    program: Program,
}

impl Drop for Destroy<'_> {
    fn drop(&mut self) {
        // SAFETY: the program was created by this library and is destroyed once, here.
        let _ = unsafe { (self.api.destroy_program)(&mut self.program) };
    }
}

impl Api {
    /// Looks up every function.
    fn of(library: &Library) -> Result<Self, String> {
        /// Looks up one function; its type is the field's.
        fn symbol<F: Copy>(library: &Library, name: &str) -> Result<F, String> {
            // SAFETY: each caller below stores the function under the type that `nvrtc.h` declares for that name.
            let found = unsafe { library.get::<F>(name) };
            found.map(|s| *s).map_err(|_| format!("is not a usable NVRTC: it has no function {name}"))
        }
        Ok(Self {
            get_error_string: symbol(library, "nvrtcGetErrorString")?,
            version: symbol(library, "nvrtcVersion")?,
            get_num_supported_archs: symbol(library, "nvrtcGetNumSupportedArchs")?,
            get_supported_archs: symbol(library, "nvrtcGetSupportedArchs")?,
            create_program: symbol(library, "nvrtcCreateProgram")?,
            destroy_program: symbol(library, "nvrtcDestroyProgram")?,
            compile_program: symbol(library, "nvrtcCompileProgram")?,
            get_ptx_size: symbol(library, "nvrtcGetPTXSize")?,
            get_ptx: symbol(library, "nvrtcGetPTX")?,
            get_log_size: symbol(library, "nvrtcGetProgramLogSize")?,
            get_log: symbol(library, "nvrtcGetProgramLog")?,
        })
    }

    /// Turns a result code into an error that names it.
    fn check(&self, function: &'static str, code: Code) -> Result<(), CallError> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: NVRTC returns a pointer to a constant string for every code, also for one that it does not know.
        let name = unsafe {
            let text = (self.get_error_string)(code);
            if text.is_null() { format!("code {code}") } else { CStr::from_ptr(text).to_string_lossy().into_owned() }
        };
        Err(CallError { function, name })
    }

    /// The architectures that this NVRTC knows.
    fn supported_archs(&self) -> Result<Vec<u32>, CallError> {
        let mut count: c_int = 0;
        // SAFETY: the pointer is to a live integer.
        let code = unsafe { (self.get_num_supported_archs)(&mut count) };
        self.check("nvrtcGetNumSupportedArchs", code)?;
        let mut archs = vec![0 as c_int; usize::try_from(count).unwrap_or(0)];
        // SAFETY: NVRTC writes `count` integers, and there is room for that many.
        let code = unsafe { (self.get_supported_archs)(archs.as_mut_ptr()) };
        self.check("nvrtcGetSupportedArchs", code)?;
        Ok(archs.into_iter().map(c_int::unsigned_abs).collect())
    }

    /// Fetches a text of the program (its log or its PTX) by the function that tells its size and the one that copies.
    fn text(
        &self,
        function: &'static str,
        program: Program,
        size_of: unsafe extern "C" fn(Program, *mut usize) -> Code,
        copy: unsafe extern "C" fn(Program, *mut c_char) -> Code,
    ) -> Result<String, CallError> {
        let mut size = 0;
        // SAFETY: the program is alive and the pointer is to a live integer.
        let code = unsafe { size_of(program, &mut size) };
        self.check(function, code)?;
        let mut bytes = vec![0_u8; size];
        // SAFETY: NVRTC writes `size` bytes including the final NUL, and there is room for that many.
        let code = unsafe { copy(program, bytes.as_mut_ptr().cast()) };
        self.check(function, code)?;
        let end = bytes.iter().position(|&b| b == 0).unwrap_or(bytes.len());
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
}

/// Opens a shared library for good.
fn open(path: &Path) -> Result<ManuallyDrop<Library>, String> {
    // SAFETY: NVRTC and its built-ins run no initialisation that asks anything of their caller. A file that is another
    // library under that name is the user's own: no check of ours could tell.
    let library = unsafe { Library::new(path) };
    library.map(ManuallyDrop::new).map_err(|e| format!("cannot be loaded: {e}"))
}

/// Where the linker found the library that was asked for by bare name, as the kernel tells; else the name itself.
fn loaded_path(name: &Path) -> PathBuf {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let name = name.to_string_lossy();
    let stem = name.split(".so").next().unwrap_or(&name);
    maps.lines()
        .filter_map(|line| line.find('/').map(|at| Path::new(&line[at..])))
        .find(|path| {
            path.file_name()
                .is_some_and(|f| f.to_string_lossy().strip_prefix(stem).is_some_and(|r| r.starts_with(".so")))
        })
        .map_or_else(|| PathBuf::from(name.as_ref()), Path::to_owned)
}
