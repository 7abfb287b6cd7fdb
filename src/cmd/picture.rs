//! `warpbook picture`: what summed-area tables are for.

use kernels::gpu::Gpu;
use kernels::picture::{self, Blur, PictureError};
use kernels::problem::summed_area_table::Size;

use super::{Ended, Failure};
use crate::cli::Picture;
use crate::out::{self, say};

pub(crate) fn run(args: &Picture, json: bool) -> Ended {
    let failure = |error: PictureError| Failure::new(error.exit_code(), error);
    let (width, height) = args.size;
    let picture = match &args.file {
        Some(file) => picture::read(file, args.depth.as_deref()),
        None => picture::draw(Size { width, height }),
    };
    let picture = picture.map_err(failure)?;
    let gpu = args.gpu.map(Gpu::open).transpose().map_err(|error| failure(error.into()))?;
    let mut written = Vec::new();
    let mut write = |name: &str, pixels: &[u8]| {
        let file = args.out.join(name);
        picture::write(&file, picture.size, pixels).map_err(failure)?;
        if !json {
            say!("written: {}", file.display());
        }
        written.push(file);
        Ok::<(), Failure>(())
    };
    if args.file.is_none() {
        write("picture.png", &picture.colours)?;
    }
    if args.depth.is_none() {
        write("depth.png", &picture.depth)?;
    }
    let mut versions = Vec::new();
    for (blur, name) in [(Blur::Box, "box-filter.png"), (Blur::DepthOfField, "depth-of-field.png")] {
        let blurred = picture::blur(&picture, blur, gpu.as_ref()).map_err(failure)?;
        write(name, &blurred.colours)?;
        versions.push((blur.version(), blurred.sectors));
    }
    let Size { width, height } = picture.size;
    if json {
        let versions: Vec<_> = (versions.iter())
            .map(|(version, sectors)| serde_json::json!({ "version": version, "sectors": sectors }))
            .collect();
        out::json(&serde_json::json!({ "width": width, "height": height, "files": written, "versions": versions }))?;
        return Ok(0);
    }
    for (version, sectors) in versions {
        if let Some(sectors) = sectors {
            let bytes = sectors as f64 * 32.0 / (f64::from(width) * f64::from(height) * 3.0);
            say!(
                "{version}: {sectors} sectors of global memory for three colours, {bytes:.1} bytes per pixel and colour"
            );
        }
    }
    Ok(0)
}
