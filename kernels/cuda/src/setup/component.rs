//! What `warpbook setup` can install: the pinned packages of NVIDIA's, and which of their files are taken.

use super::SetupError;

/// A part of CUDA that warpbook can fetch. Each lies in a folder of its own in the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Component {
    /// NVRTC, the compiler as a library.
    Nvrtc,
    /// The headers that device code includes: CUDA's runtime (`cuda_fp16.h`, `cooperative_groups.h`) and the core
    /// libraries (CUB, Thrust, libcu++).
    Headers,
    /// nvcc as far as it turns source files into PTX: for files that mix host and device code.
    Nvcc,
    /// ptxas and nvdisasm, which show the machine code that a GPU runs.
    Sass,
    /// clang with LLVM's NVPTX back end, which compiles device code where NVIDIA's compilers do not run.
    Clang,
}

/// One package on PyPI.
#[derive(Debug)]
pub(super) struct Package {
    /// Its name on PyPI.
    pub(super) name: &'static str,
    /// The pinned version.
    pub(super) version: &'static str,
    /// The files for each kind of machine.
    pub(super) wheels: &'static [Wheel],
    /// What is taken of its content.
    pub(super) take: Take,
}

/// A package's file for one kind of machine.
#[derive(Debug)]
pub(super) struct Wheel {
    /// `std::env::consts::OS` of the machine.
    pub(super) os: &'static str,
    /// `std::env::consts::ARCH` of the machine.
    pub(super) arch: &'static str,
    /// Lower-case hexadecimal SHA-256.
    pub(super) sha256: &'static str,
    /// Size in bytes.
    pub(super) bytes: u64,
}

/// Which files of a package are taken, and where they go.
#[derive(Debug, Clone, Copy)]
pub(super) enum Take {
    /// These files of the package's `lib` folder, side by side.
    Libraries(&'static [&'static str]),
    /// Everything in these folders and files (a folder's name ends with `/`), with its place in the package.
    Below(&'static [&'static str]),
    /// One program of a package that is not CUDA's: its place there, without the system's ending of programs.
    Program(&'static str),
}

/// The folder of CUDA 13 in every package of NVIDIA's.
const ROOT: &str = "nvidia/cu13/";

impl Take {
    /// Where in the component's folder a file of the package belongs; None if it is not taken.
    pub(super) fn destination(self, file: &str) -> Option<&str> {
        if let Self::Program(program) = self {
            let found = file == program || file.strip_suffix(".exe") == Some(program);
            return found.then(|| file.rsplit('/').next()).flatten();
        }
        let inside = file.strip_prefix(ROOT)?;
        if inside.split('/').any(|part| part.is_empty() || part == "..") {
            return None;
        }
        match self {
            Self::Libraries(names) => inside.strip_prefix("lib/").filter(|name| names.contains(name)),
            Self::Below(places) => places
                .iter()
                .any(|place| if place.ends_with('/') { inside.starts_with(place) } else { inside == *place })
                .then_some(inside),
            Self::Program(_) => None,
        }
    }

    /// Whether what is taken to this place is a program.
    pub(super) fn is_program(self, destination: &str) -> bool {
        matches!(self, Self::Program(_)) || destination.starts_with("bin/") || destination.starts_with("nvvm/bin/")
    }

    /// How many files are taken at least: a package with fewer is not what we expect.
    pub(super) const fn fewest(self) -> usize {
        match self {
            Self::Libraries(names) => names.len(),
            Self::Below(places) => places.len(),
            Self::Program(_) => 1,
        }
    }
}

/// A package's file for Linux, by architecture.
const fn linux(arch: &'static str, sha256: &'static str, bytes: u64) -> Wheel {
    Wheel { os: "linux", arch, sha256, bytes }
}

/// The compiler library's file name.
pub(super) const LIBRARY: &str = "libnvrtc.so.13";
/// Its built-ins library's file name.
pub(super) const BUILTINS: &str = "libnvrtc-builtins.so.13.0";

const NVRTC: &[Package] = &[Package {
    name: "nvidia-cuda-nvrtc",
    version: super::VERSION,
    wheels: &[
        linux("x86_64", "ad9b6d2ead2435f11cbb6868809d2adeeee302e9bb94bcf0539c7a40d80e8575", 90_215_200),
        linux("aarch64", "d27f20a0ca67a4bb34268a5e951033496c5b74870b868bacd046b1b8e0c3267b", 43_015_449),
    ],
    take: Take::Libraries(&[LIBRARY, BUILTINS]),
}];

const HEADERS: &[Package] = &[
    Package {
        name: "nvidia-cuda-runtime",
        version: "13.0.96",
        wheels: &[
            linux("x86_64", "7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548", 2_243_632),
            linux("aarch64", "ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55", 2_261_060),
        ],
        take: Take::Below(&["include/"]),
    },
    Package {
        name: "nvidia-cuda-crt",
        version: "13.0.88",
        wheels: &[
            linux("x86_64", "2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4", 134_086),
            linux("aarch64", "ee2ea2a97073e02ee62bb27841f437332be2c248e3eac013df07997ada39c003", 134_086),
        ],
        take: Take::Below(&["include/"]),
    },
    Package {
        name: "nvidia-cuda-cccl",
        version: "13.0.85",
        wheels: &[
            linux("x86_64", "e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649", 3_120_526),
            linux("aarch64", "6f0203e29fed809ee2b7fe9b1344df66ecab990c37d6a2e0e189b26d6c97ed7c", 3_120_528),
        ],
        take: Take::Below(&["include/"]),
    },
    // What many programs include to mark the part that a profiler should look at.
    Package {
        name: "nvidia-cuda-profiler-api",
        version: "13.0.85",
        wheels: &[
            linux("x86_64", "73d2671deac833db6686d6fbde4753fa3a3a497d87540fc246f081f375243f66", 20_887),
            linux("aarch64", "b307d61f574ab60666d0b2cb204738338dbd0e05a9fa609eaab198222f0a13c2", 20_888),
        ],
        take: Take::Below(&["include/"]),
    },
];

/// nvcc's wheel, which holds ptxas too: each component takes what it needs.
const fn nvcc_package(take: Take) -> Package {
    Package {
        name: "nvidia-cuda-nvcc",
        version: super::VERSION,
        wheels: const {
            &[
                linux("x86_64", "56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03", 37_384_532),
                linux("aarch64", "c7ff28f86a24effdc6c034fa15230c549a273e4771b10a7fec14996f8cf3307f", 32_455_430),
            ]
        },
        take,
    }
}

const NVCC: &[Package] = &[
    // For compute_90 and newer, nvcc has ptxas look over the PTX.
    nvcc_package(Take::Below(&["bin/nvcc", "bin/nvcc.profile", "bin/ptxas"])),
    Package {
        name: "nvidia-nvvm",
        version: "13.0.88",
        wheels: &[
            linux("x86_64", "c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0", 61_601_415),
            linux("aarch64", "c4376a291d72d22a315d9d2f69bdae8f8cd83a627f75bad395cee49a0fe65dc1", 59_234_185),
        ],
        take: Take::Below(&["nvvm/bin/cicc", "nvvm/libdevice/libdevice.10.bc"]),
    },
];

const SASS: &[Package] = &[
    nvcc_package(Take::Below(&["bin/ptxas"])),
    Package {
        name: "nvidia-cuda-nvdisasm",
        version: "13.5.37",
        wheels: &[
            linux("x86_64", "d3fdbdd49fa53e2e4aacd3db8259d052bd2b049ececdcb69e92e083c6728e7ca", 5_170_654),
            linux("aarch64", "a3a8248074edb9fba63b74c38a5416b712a91ab09e70b8ab37186c3d293fc605", 5_156_579),
        ],
        take: Take::Below(&["bin/nvdisasm"]),
    },
];

const CLANG: &[Package] = &[Package {
    name: "ziglang",
    version: "0.17.1",
    wheels: &[
        Wheel {
            os: "macos",
            arch: "aarch64",
            sha256: "09953b6af7f64168b915180a42774f520f92d86ef6331b28e33915c7e1f0bb23",
            bytes: 100_390_379,
        },
        Wheel {
            os: "macos",
            arch: "x86_64",
            sha256: "4e0b4b9c02b8d0d220e9948010f860b62ff11d96abb39762eca5fa2ef3f7bc97",
            bytes: 104_485_232,
        },
        linux("x86_64", "ea6cc5d87b033cf0aedfbc8f9549a908cae6c50ac31f1698188fa48a74524b54", 101_083_562),
        linux("aarch64", "b7c5f02fccd40f89b999ee16a1f5ddced56e6182370f8affe494bcf8a28cf07e", 98_063_064),
        Wheel {
            os: "windows",
            arch: "x86_64",
            sha256: "69c3dfc3aff6a297ec4017aa904782c0e450eb988982d7f675d83edce27526fb",
            bytes: 101_924_940,
        },
        Wheel {
            os: "windows",
            arch: "aarch64",
            sha256: "27a8da5f8eaa0e76ebbc7c2594130ed4646c1101ada2ce0aa86fe580c74154b9",
            bytes: 97_412_346,
        },
    ],
    take: Take::Program("ziglang/zig"),
}];

impl Component {
    /// Every component.
    pub const ALL: [Self; 5] = [Self::Nvrtc, Self::Headers, Self::Nvcc, Self::Sass, Self::Clang];

    /// What `setup` fetches by itself on an operating system: NVRTC and its headers, or clang where there is no NVRTC.
    #[must_use]
    pub fn usual(os: &'static str, arch: &'static str) -> &'static [Self] {
        let nvrtc = NVRTC.iter().all(|package| package.wheel_for(os, arch).is_ok());
        if nvrtc { &[Self::Nvrtc, Self::Headers] } else { &[Self::Clang] }
    }

    /// What to call it in a sentence.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Nvrtc => "NVRTC",
            Self::Headers => "CUDA's device headers",
            Self::Nvcc => "nvcc",
            Self::Sass => "ptxas and nvdisasm",
            Self::Clang => "clang",
        }
    }

    /// What it is good for, as the rest of a sentence.
    #[must_use]
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Nvrtc => "compiles CUDA sources that hold device code",
            Self::Headers => {
                "for #include <cooperative_groups.h>, <cuda_fp16.h>, <cub/block/block_reduce.cuh> and the like"
            }
            Self::Nvcc => "compiles ordinary CUDA files, which mix host and device code; needs g++ and the headers",
            Self::Sass => "show the machine code that a GPU runs",
            Self::Clang => "compiles CUDA sources that hold device code, where there is no NVRTC",
        }
    }

    /// The option of `warpbook setup` that fetches it; empty for what it always fetches.
    #[must_use]
    pub const fn option(self) -> &'static str {
        match self {
            Self::Nvrtc | Self::Headers => "",
            Self::Nvcc => " --nvcc",
            Self::Sass => " --sass",
            Self::Clang => " --clang",
        }
    }

    /// The version of the package that names the folder.
    #[must_use]
    pub const fn version(self) -> &'static str {
        self.packages()[0].version
    }

    /// The name of its folder in the cache.
    #[must_use]
    pub fn folder_name(self) -> String {
        let name = match self {
            Self::Nvrtc => "nvrtc",
            Self::Headers => "headers",
            Self::Nvcc => "nvcc",
            Self::Sass => "sass",
            Self::Clang => "clang",
        };
        format!("{name}-{}", self.version())
    }

    pub(super) const fn packages(self) -> &'static [Package] {
        match self {
            Self::Nvrtc => NVRTC,
            Self::Headers => HEADERS,
            Self::Nvcc => NVCC,
            Self::Sass => SASS,
            Self::Clang => CLANG,
        }
    }

    /// Bytes that are downloaded for it on this kind of machine.
    pub(super) fn download_bytes(self) -> Result<u64, SetupError> {
        self.packages().iter().map(|package| Ok(package.wheel_here()?.bytes)).sum()
    }
}

impl Package {
    /// The file for the machine that this program runs on.
    pub(super) fn wheel_here(&self) -> Result<&Wheel, SetupError> {
        self.wheel_for(std::env::consts::OS, std::env::consts::ARCH)
    }

    /// The file for an operating system and a processor architecture.
    pub(super) fn wheel_for(&self, os: &'static str, arch: &'static str) -> Result<&'static Wheel, SetupError> {
        let wheel = self.wheels.iter().find(|wheel| wheel.os == os && wheel.arch == arch);
        wheel.ok_or(SetupError::Platform { os, arch })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_component_has_a_folder_of_its_own_and_packages_for_both_architectures() {
        let folders: std::collections::BTreeSet<String> =
            Component::ALL.into_iter().map(Component::folder_name).collect();
        assert_eq!(folders.len(), Component::ALL.len());
        for package in Component::ALL.iter().flat_map(|component| component.packages()) {
            assert!(package.wheel_for("linux", "x86_64").is_ok() && package.wheel_for("linux", "aarch64").is_ok());
            for wheel in package.wheels {
                assert!(wheel.sha256.len() == 64 && wheel.bytes > 0, "{}", package.name);
            }
        }
    }

    #[test]
    fn setup_fetches_clang_by_itself_where_there_is_no_nvrtc() {
        assert_eq!(Component::usual("linux", "x86_64"), [Component::Nvrtc, Component::Headers]);
        for (os, arch) in [("macos", "aarch64"), ("macos", "x86_64"), ("windows", "x86_64"), ("windows", "aarch64")] {
            assert_eq!(Component::usual(os, arch), [Component::Clang]);
            assert!(CLANG[0].wheel_for(os, arch).is_ok(), "{os} {arch}");
        }
    }

    #[test]
    fn other_machines_hear_what_else_works() {
        for (os, arch) in [("macos", "aarch64"), ("windows", "x86_64"), ("linux", "riscv64")] {
            let text = NVRTC[0].wheel_for(os, arch).unwrap_err().to_string();
            assert!(text.contains(&format!("this is {os} on {arch}")), "{text}");
            assert!(text.contains("WARPBOOK_NVRTC") && text.contains("warpbook compare"), "{text}");
        }
    }

    #[test]
    fn files_go_where_they_belong_and_never_outside() {
        let libraries = NVRTC[0].take;
        assert_eq!(libraries.destination("nvidia/cu13/lib/libnvrtc.so.13"), Some(LIBRARY));
        assert_eq!(libraries.destination("nvidia/cu13/lib/libnvrtc.alt.so.13"), None);
        let below = Take::Below(&["include/", "bin/nvcc"]);
        assert_eq!(below.destination("nvidia/cu13/include/cccl/cub/cub.cuh"), Some("include/cccl/cub/cub.cuh"));
        assert_eq!(below.destination("nvidia/cu13/bin/nvcc"), Some("bin/nvcc"));
        let program = Take::Program("ziglang/zig");
        assert_eq!(program.destination("ziglang/zig"), Some("zig"));
        assert_eq!(program.destination("ziglang/zig.exe"), Some("zig.exe"));
        assert_eq!(program.destination("ziglang/lib/zig.h"), None);
        for outside in ["nvidia/cu13/bin/nvcc.profile", "nvidia/cu13/include/../../x", "/include/x", "include/x"] {
            assert_eq!(below.destination(outside), None);
        }
    }
}
