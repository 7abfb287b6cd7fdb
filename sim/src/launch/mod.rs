//! What is launched: grid and block shape, dynamic shared memory and the kernel's arguments.

mod coverage;

use std::fmt;
use std::ops::Deref;
use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use crate::ir::layout::{BUFFER_STRIDE, BUFFERS_BASE};
pub(crate) use coverage::{Bits, Coverage, PAGE_BYTES, PAGE_WORDS};

/// A three-dimensional extent, in threads (block) or thread blocks (grid), as CUDA's `dim3`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(from = "[u32; 3]", into = "[u32; 3]")]
pub struct Dim3 {
    /// Extent along x, the dimension that varies fastest.
    pub x: u32,
    /// Extent along y.
    pub y: u32,
    /// Extent along z.
    pub z: u32,
}

impl Dim3 {
    /// A three-dimensional extent.
    pub const fn new(x: u32, y: u32, z: u32) -> Self {
        Self { x, y, z }
    }

    /// A one-dimensional extent.
    pub const fn linear(x: u32) -> Self {
        Self::new(x, 1, 1)
    }

    /// Number of threads or blocks in the extent. 64 bits, because a grid holds up to 2^63 blocks; an extent with more
    /// elements than 64 bits can count is no launch that a GPU takes, and counts as the largest number.
    pub const fn count(self) -> u64 {
        (self.x as u64 * self.y as u64).saturating_mul(self.z as u64)
    }

    /// The coordinates of the `index`-th element, x varying fastest.
    pub const fn coordinates(self, index: u64) -> Self {
        let (x, y) = (self.x as u64, self.y as u64);
        Self::new((index % x) as u32, (index / x % y) as u32, (index / (x * y)) as u32)
    }
}

impl From<[u32; 3]> for Dim3 {
    fn from([x, y, z]: [u32; 3]) -> Self {
        Self { x, y, z }
    }
}

impl From<Dim3> for [u32; 3] {
    fn from(d: Dim3) -> Self {
        [d.x, d.y, d.z]
    }
}

impl fmt::Display for Dim3 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.y, self.z) {
            (1, 1) => write!(f, "{}", self.x),
            (y, 1) => write!(f, "{},{y}", self.x),
            (y, z) => write!(f, "{},{y},{z}", self.x),
        }
    }
}

impl FromStr for Dim3 {
    type Err = String;

    /// Reads `X`, `X,Y` or `X,Y,Z`.
    fn from_str(s: &str) -> Result<Self, String> {
        let mut extent = [1u32; 3];
        let parts: Vec<&str> = s.split(',').collect();
        if parts.len() > 3 {
            return Err(format!("`{s}` has {} dimensions; a grid or block has at most three: X,Y,Z", parts.len()));
        }
        for (slot, part) in extent.iter_mut().zip(&parts) {
            *slot = part
                .trim()
                .parse()
                .map_err(|_| format!("`{part}` in `{s}` is not a whole number from 1 to 4294967295"))?;
            if *slot == 0 {
                return Err(format!("`{s}` has an extent of 0; every extent is at least 1"));
            }
        }
        Ok(extent.into())
    }
}

/// A scalar kernel argument. The variant's name is the type in a launch specification (`i32:5`, `f32:0.5`).
#[derive(Debug, Clone, Copy, PartialEq)]
#[allow(missing_docs, reason = "the variants are the types they are named after")]
pub enum Scalar {
    I8(i8),
    U8(u8),
    I16(i16),
    U16(u16),
    I32(i32),
    U32(u32),
    I64(i64),
    U64(u64),
    F32(f32),
    F64(f64),
}

impl Scalar {
    /// The value's bytes as they lie in the kernel's parameter space (little-endian).
    pub fn to_bytes(self) -> Vec<u8> {
        match self {
            Self::I8(v) => v.to_le_bytes().to_vec(),
            Self::U8(v) => v.to_le_bytes().to_vec(),
            Self::I16(v) => v.to_le_bytes().to_vec(),
            Self::U16(v) => v.to_le_bytes().to_vec(),
            Self::I32(v) => v.to_le_bytes().to_vec(),
            Self::U32(v) => v.to_le_bytes().to_vec(),
            Self::I64(v) => v.to_le_bytes().to_vec(),
            Self::U64(v) => v.to_le_bytes().to_vec(),
            Self::F32(v) => v.to_le_bytes().to_vec(),
            Self::F64(v) => v.to_le_bytes().to_vec(),
        }
    }

    /// Reads `TYPE:VALUE`, for example `i32:-1`, `u64:0xffff` or `f32:1e-3`.
    ///
    /// # Errors
    /// A sentence for the user when the type is unknown or the value does not fit it.
    pub fn parse(spec: &str) -> Result<Self, String> {
        let (kind, value) = spec
            .split_once(':')
            .ok_or_else(|| format!("`{spec}` has no `:`; a scalar is TYPE:VALUE, such as i32:5"))?;
        fn int<T: TryFrom<i128>>(kind: &str, value: &str) -> Result<T, String> {
            let (negative, digits) = value.strip_prefix('-').map_or((false, value), |rest| (true, rest));
            let number = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
                Some(hex) => i128::from_str_radix(hex, 16),
                None => digits.parse::<i128>(),
            }
            .map_err(|_| format!("`{value}` is not a whole number (needed for {kind})"))?;
            T::try_from(if negative { -number } else { number })
                .map_err(|_| format!("{value} does not fit into {kind}"))
        }
        fn float<T: FromStr>(kind: &str, value: &str) -> Result<T, String> {
            value.parse().map_err(|_| format!("`{value}` is not a number (needed for {kind})"))
        }
        Ok(match kind {
            "i8" => Self::I8(int(kind, value)?),
            "u8" => Self::U8(int(kind, value)?),
            "i16" => Self::I16(int(kind, value)?),
            "u16" => Self::U16(int(kind, value)?),
            "i32" => Self::I32(int(kind, value)?),
            "u32" => Self::U32(int(kind, value)?),
            "i64" => Self::I64(int(kind, value)?),
            "u64" => Self::U64(int(kind, value)?),
            "f32" => Self::F32(float(kind, value)?),
            "f64" => Self::F64(float(kind, value)?),
            _ => {
                return Err(format!(
                    "`{kind}` is not a type of argument; there are i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 in zeros \
                     uninit"
                ));
            }
        })
    }
}

/// What a buffer holds. Clones share the memory, so a buffer that launch after launch reads is never copied, and its
/// digest is computed once.
#[derive(Clone, Default)]
pub struct Content(Arc<Shared>);

#[derive(Clone, Default)]
struct Shared {
    bytes: Vec<u8>,
    digest: OnceLock<String>,
    written: Option<Arc<Coverage>>,
}

impl Content {
    /// The bytes, copied if somebody else still has them.
    pub fn into_vec(self) -> Vec<u8> {
        Arc::try_unwrap(self.0).map_or_else(|shared| shared.bytes.clone(), |own| own.bytes)
    }

    /// [`digest`] of the bytes.
    pub fn digest(&self) -> &str {
        self.0.digest.get_or_init(|| digest(&self.0.bytes))
    }

    /// The same bytes of which it is known what nobody has written, if anybody knows that of the bytes of `other`: a
    /// buffer that a kernel left, simulated twice, with checks and without.
    pub fn known_as(self, other: &Self) -> Self {
        if self.0.written == other.0.written || self.len() != other.len() {
            return self;
        }
        self.with_written(other.0.written.clone())
    }

    /// What of the bytes was written, if it was not all.
    pub(crate) fn written(&self) -> Option<&Arc<Coverage>> {
        self.0.written.as_ref()
    }

    pub(crate) fn with_written(self, written: Option<Arc<Coverage>>) -> Self {
        let digest = self.0.digest.clone();
        Self(Arc::new(Shared { bytes: self.into_vec(), digest, written }))
    }
}

/// The digest of the content of a buffer, in reports and in records of GPUs: BLAKE3 in hexadecimal. It is computed
/// several times faster than SHA-256 where the CPU has no instructions for that, which was a quarter of the time of a
/// simulation.
pub fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl From<Vec<u8>> for Content {
    fn from(bytes: Vec<u8>) -> Self {
        Self(Arc::new(Shared { bytes, ..Shared::default() }))
    }
}

impl Deref for Content {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl PartialEq for Content {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || **self == **other
    }
}

impl Eq for Content {}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.bytes.fmt(f)
    }
}

/// One kernel argument.
#[derive(Debug, Clone, PartialEq)]
pub enum Arg {
    /// A value that is passed as it is.
    Scalar(Scalar),
    /// A struct passed by value: its raw bytes.
    Bytes(Vec<u8>),
    /// A device buffer initialised with these bytes; the kernel gets its address.
    Buffer(Content),
    /// A device buffer of this many zero bytes; the kernel gets its address.
    Zeros(u64),
    /// A device buffer of this many bytes as `cudaMalloc` returns it: it holds zeros here, but a read of what the kernel
    /// has not written is a finding. The kernel gets its address.
    Uninit(u64),
    /// The address of a buffer that stands at another place of the list, plus bytes.
    Address {
        /// That place.
        argument: usize,
        /// Bytes behind the buffer's beginning.
        offset: u64,
    },
    /// Device memory that is no argument of the kernel: what [`Arg::Address`] and addresses in other memory point to.
    /// It stands behind the arguments.
    Memory {
        /// What messages call it.
        name: String,
        /// Size in bytes.
        bytes: u64,
        /// The first bytes; the rest is zero.
        content: Content,
        /// False for memory that nobody has written, as `cudaMalloc` gives it.
        written: bool,
    },
}

/// The address of the `index`-th buffer of a launch, counted over everything in the list that is one.
pub const fn buffer_address(index: usize) -> u64 {
    BUFFERS_BASE + index as u64 * BUFFER_STRIDE
}

impl Arg {
    /// A buffer holding the little-endian bytes of `values`.
    pub fn buffer_of<T: Plain>(values: &[T]) -> Self {
        Self::Buffer(values.iter().flat_map(|v| v.le_bytes()).collect::<Vec<u8>>().into())
    }
}

/// Element types that buffers are made of.
pub trait Plain: Copy {
    /// The value's little-endian bytes.
    fn le_bytes(self) -> impl Iterator<Item = u8>;
}

macro_rules! plain {
    ($($t:ty)*) => { $(impl Plain for $t {
        fn le_bytes(self) -> impl Iterator<Item = u8> { self.to_le_bytes().into_iter() }
    })* };
}
plain!(u8 i8 u16 i16 u32 i32 u64 i64 f32 f64);

/// A kernel launch: what CUDA writes as `kernel<<<grid, block, shared>>>(args...)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Launch {
    /// Thread blocks in the grid.
    pub grid: Dim3,
    /// Threads in a thread block.
    pub block: Dim3,
    /// Dynamic shared memory per thread block, in bytes.
    pub shared_bytes: u32,
    /// The kernel's arguments, in order.
    pub args: Vec<Arg>,
}
