//! What summed-area tables are for: a picture whose pixels become means over squares, of one size everywhere (a box
//! filter), or of a size that follows from how far away a pixel is (depth of field).
//!
//! The kernels are the workbook's own, `sat_look_back` with `sat_box_filter` or `sat_depth_of_field`, a launch of each
//! per colour, on the simulator or on a GPU.

mod png;
mod scene;

use sim::{Checks, Options};

pub use png::{read, write};
pub use scene::{LARGEST, draw};

use crate::bench::workload::Own;
use crate::case::{Buffer, Prepared};
use crate::gpu::{Gpu, GpuError};
use crate::problem::summed_area_table::{PROBLEM, PlanError, Size, Tiles, plan};
use crate::ptx;
use crate::simulate::{self, SimulateError};

/// A picture with three colours per pixel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// Its size.
    pub size: Size,
    /// Red, green and blue of each pixel, row by row.
    pub colours: Vec<u8>,
    /// How far away each pixel is, from 0 to 255.
    pub depth: Vec<u8>,
}

/// What cannot be done with a picture.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// It is too small or too large to be drawn.
    #[error("an image of {width}×{height} pixels cannot be drawn: both sides are at least 1 and at most {LARGEST}")]
    Size {
        /// Pixels of a row.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// A file cannot be read or written.
    #[error("{}: {why}", .file.display())]
    File {
        /// The file.
        file: std::path::PathBuf,
        /// The reason.
        why: String,
    },
    /// Picture and depths do not fit together.
    #[error("the depths are an image of {}×{} pixels, and the image itself one of {}×{}", .depth.width, .depth.height, .picture.width, .picture.height)]
    Depth {
        /// Size of the depths.
        depth: Size,
        /// Size of the picture.
        picture: Size,
    },
    /// The kernels are not made for its size.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The simulator failed.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// The GPU failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

impl PictureError {
    /// The exit code that a program should end with.
    pub const fn exit_code(&self) -> u8 {
        match self {
            Self::Size { .. } | Self::File { .. } | Self::Depth { .. } | Self::Plan(_) => 2,
            Self::Simulate(error) => error.exit_code(),
            Self::Gpu(error) => error.exit_code(),
        }
    }
}

/// How a picture is blurred.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blur {
    /// By the same square everywhere.
    Box,
    /// By a square that grows with the distance from what is in focus.
    DepthOfField,
}

impl Blur {
    /// The version of the summed-area table that ends with this filter.
    pub const fn version(self) -> &'static str {
        match self {
            Self::Box => "sat_box_filter",
            Self::DepthOfField => "sat_depth_of_field",
        }
    }
}

/// A blurred picture, and what it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blurred {
    /// Red, green and blue of each pixel, row by row.
    pub colours: Vec<u8>,
    /// 32-byte sectors of global memory that all launches touched, as far as a simulator counted.
    pub sectors: Option<u64>,
}

/// Blurs a picture, on `gpu` or, without one, on the simulator.
///
/// # Errors
/// As the variants of [`PictureError`] say.
pub fn blur(picture: &Picture, blur: Blur, gpu: Option<&Gpu>) -> Result<Blurred, PictureError> {
    let mut colours = vec![0; picture.colours.len()];
    let mut sectors = None;
    for colour in 0..3 {
        let pixels: Vec<u8> = picture.colours.iter().skip(colour).step_by(3).copied().collect();
        // Sums of floats are exact as long as they are small: around their mean, bright pixels and dark ones cancel out.
        let middle = (pixels.iter().map(|&pixel| u64::from(pixel)).sum::<u64>() / pixels.len() as u64) as f32;
        let prepared = prepare(picture, blur, pixels.iter().map(|&pixel| f32::from(pixel) - middle).collect())?;
        let contents = match gpu {
            Some(gpu) => gpu.load(ptx_text()?)?.run(&prepared.work()?)?,
            None => {
                let options = Options { checks: Checks::NONE, ..Options::default() };
                let module = simulate::module(PROBLEM.name)?;
                let case = || format!("{} of an image", blur.version());
                let done = simulate::run_with(&module, &prepared, &options)
                    .map_err(|error| SimulateError::Sim { case: case(), error })?;
                let of = |report: &sim::Report| report.metrics.get("smsp__sass_sectors_mem_global.sum").copied();
                let touched: u64 = done.reports.iter().filter_map(of).sum();
                sectors = Some(sectors.unwrap_or(0) + touched);
                done.contents
            }
        };
        let means = prepared.index("means").and_then(|index| contents.get(index)).map_or(&[][..], |means| &means[..]);
        for (to, mean) in colours.iter_mut().skip(colour).step_by(3).zip(means.as_chunks::<4>().0) {
            *to = (f32::from_le_bytes(*mean) + middle).round().clamp(0.0, 255.0) as u8;
        }
    }
    Ok(Blurred { colours, sectors })
}

fn ptx_text() -> Result<&'static str, PictureError> {
    let committed = ptx::committed(PROBLEM.name).ok_or_else(|| SimulateError::NoPtx(PROBLEM.name.to_owned()))?;
    Ok(committed.text)
}

/// The launches for one colour.
fn prepare(picture: &Picture, blur: Blur, pixels: Vec<f32>) -> Result<Prepared, PictureError> {
    let plan = plan(blur.version(), picture.size, Tiles { patches: 1 })?;
    let mut buffers = vec![
        Buffer::of("image", &pixels),
        Buffer::poisoned("table", 4 * pixels.len()),
        Buffer::poisoned("means", 4 * pixels.len()),
    ];
    if blur == Blur::DepthOfField {
        buffers.push(Buffer::of("depth", &picture.depth));
    }
    buffers.extend(plan.scratch.iter().map(Own::buffer));
    Ok(Prepared { buffers, steps: plan.steps, expected: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::summed_area_table::{means, radius_at};

    /// Each pixel of the blurred picture is the mean that the definition says, rounded.
    #[test]
    fn every_pixel_is_the_mean_of_its_square() {
        let picture = draw(Size { width: 150, height: 131 }).unwrap();
        assert!(picture.depth.contains(&255) && picture.depth.iter().any(|&depth| radius_at(depth) == 0));
        let box_radius = plan("sat_box_filter", picture.size, Tiles { patches: 1 }).unwrap().radius.unwrap();
        for kind in [Blur::Box, Blur::DepthOfField] {
            let blurred = blur(&picture, kind, None).unwrap();
            assert!(blurred.sectors.unwrap() > 0);
            for colour in 0..3 {
                let of = |colours: &[u8]| colours.iter().skip(colour).step_by(3).copied().collect::<Vec<u8>>();
                let pixels: Vec<i64> = of(&picture.colours).into_iter().map(i64::from).collect();
                let radius = |i: usize| match kind {
                    Blur::Box => box_radius as usize,
                    Blur::DepthOfField => radius_at(picture.depth[i]) as usize,
                };
                let wanted = means(&pixels, picture.size, radius);
                let far = |(&got, wanted): (&u8, &f32)| (f32::from(got) - wanted).abs() > 0.5 + 1e-2;
                assert!(!of(&blurred.colours).iter().zip(&wanted).any(far), "{kind:?}");
            }
        }
    }

    #[test]
    fn a_picture_without_pixels_is_refused() {
        let error = draw(Size { width: 0, height: 4 }).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().contains("0×4"));
    }
}
