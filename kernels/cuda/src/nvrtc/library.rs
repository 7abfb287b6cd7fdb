//! The loaded NVRTC library: the thirteen functions of its C interface that we call, each made safe.
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
/// `NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID`: no kernel has the name that was asked for; the log may say more.
const ERROR_NAME_EXPRESSION: Code = 10;

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
    add_name_expression: unsafe extern "C" fn(Program, *const c_char) -> Code,
    compile_program: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Code,
    get_lowered_name: unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> Code,
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

/// What is compiled, and how.
#[derive(Default)]
pub(crate) struct Input<'a> {
    /// What the log and the line table will call the source.
    pub(crate) name: &'a CStr,
    /// CUDA C++.
    pub(crate) text: &'a CStr,
    /// NVRTC's options.
    pub(crate) options: &'a [CString],
    /// Headers that exist in memory only: the name as it is included, and the text.
    pub(crate) headers: &'a [(CString, CString)],
    /// Kernels as C++ names them, such as `reduce<float, 256>`: templates are instantiated for them.
    pub(crate) kernels: &'a [CString],
}

impl<'a> Input<'a> {
    /// A source that needs nothing else.
    pub(crate) fn new(name: &'a CStr, text: &'a CStr) -> Self {
        Self { name, text, ..Self::default() }
    }
}

/// What a compilation gave: the PTX and the log, or the log alone.
pub(crate) struct Outcome {
    /// The names that the kernels asked for have in the PTX, in the same order.
    pub(crate) names: Vec<String>,
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

    /// Compiles a source.
    pub(crate) fn compile(&self, input: &Input<'_>) -> Result<Outcome, CallError> {
        let strings = |list: &[CString]| list.iter().map(|text| text.as_ptr()).collect::<Vec<*const c_char>>();
        let count = |length: usize| c_int::try_from(length).expect("a handful");
        let header_names: Vec<*const c_char> = input.headers.iter().map(|(name, _)| name.as_ptr()).collect();
        let header_texts: Vec<*const c_char> = input.headers.iter().map(|(_, text)| text.as_ptr()).collect();
        let mut program: Program = null_mut();
        // SAFETY: every string ends with NUL, and `input` outlives the program, which `guard` destroys before this
        // function returns; both lists hold as many headers as are told.
        let code = unsafe {
            (self.api.create_program)(
                &mut program,
                input.text.as_ptr(),
                input.name.as_ptr(),
                count(input.headers.len()),
                header_texts.as_ptr(),
                header_names.as_ptr(),
            )
        };
        self.api.check("nvrtcCreateProgram", code)?;
        let guard = Destroy { api: &self.api, program };
        for kernel in input.kernels {
            // SAFETY: the program was created above, and the name ends with NUL.
            let code = unsafe { (self.api.add_name_expression)(guard.program, kernel.as_ptr()) };
            self.api.check("nvrtcAddNameExpression", code)?;
        }

        let options = strings(input.options);
        // SAFETY: the program was created above; the list holds as many strings as are told.
        let code = unsafe { (self.api.compile_program)(guard.program, count(options.len()), options.as_ptr()) };
        let log = self.api.text("nvrtcGetProgramLog", guard.program, self.api.get_log_size, self.api.get_log)?;
        if code == ERROR_COMPILATION || code == ERROR_NAME_EXPRESSION {
            return Ok(Outcome { ptx: None, log, names: Vec::new() });
        }
        self.api.check("nvrtcCompileProgram", code).map_err(|e| with_log(e, &log))?;
        let ptx = self.api.text("nvrtcGetPTX", guard.program, self.api.get_ptx_size, self.api.get_ptx)?;
        let names = input.kernels.iter().map(|kernel| self.api.lowered_name(guard.program, kernel));
        let names = names.collect::<Result<_, _>>()?;
        Ok(Outcome { ptx: Some(ptx), log, names })
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
            add_name_expression: symbol(library, "nvrtcAddNameExpression")?,
            compile_program: symbol(library, "nvrtcCompileProgram")?,
            get_lowered_name: symbol(library, "nvrtcGetLoweredName")?,
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

    /// The name in the PTX of a kernel that was asked for before the compilation.
    fn lowered_name(&self, program: Program, kernel: &CStr) -> Result<String, CallError> {
        let mut name: *const c_char = null();
        // SAFETY: the program is alive and compiled, the name ends with NUL, and the pointer is to a live pointer.
        let code = unsafe { (self.get_lowered_name)(program, kernel.as_ptr(), &mut name) };
        self.check("nvrtcGetLoweredName", code)?;
        // SAFETY: after success it is a string that ends with NUL and lives as long as the program.
        Ok(unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
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
