//! Pictures as PNG files.

use std::fs::{self, File, OpenOptions};
use std::io::{BufReader, BufWriter};
use std::path::Path;

use png::{BitDepth, ColorType, Decoder, Encoder, Transformations};

use super::{Picture, PictureError};
use crate::problem::summed_area_table::Size;

/// The most bytes that a file is unpacked to.
const MOST_BYTES: usize = 1 << 30;

fn failed(file: &Path, why: impl ToString) -> PictureError {
    PictureError::File { file: file.to_owned(), why: why.to_string() }
}

/// Size, colours per pixel and bytes of a PNG file, palettes and other numbers of bits made bytes.
fn decode(file: &Path) -> Result<(Size, usize, Vec<u8>), PictureError> {
    let open = File::open(file).map_err(|why| failed(file, why))?;
    let limits = png::Limits { bytes: MOST_BYTES };
    let mut decoder = Decoder::new_with_limits(BufReader::new(open), limits);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|why| failed(file, why))?;
    let bytes = reader.output_buffer_size().filter(|&bytes| bytes <= MOST_BYTES);
    let mut pixels = vec![0; bytes.ok_or_else(|| failed(file, "the image is larger than 1 GiB"))?];
    let frame = reader.next_frame(&mut pixels).map_err(|why| failed(file, why))?;
    pixels.truncate(frame.buffer_size());
    Ok((Size { width: frame.width, height: frame.height }, frame.color_type.samples(), pixels))
}

/// Reads a picture and, from another file of the same size, how far away its pixels are (the first colour of each). Without
/// such a file the picture is taken for a landscape: what is lower is nearer.
///
/// # Errors
/// [`PictureError::File`] when one is no PNG file, [`PictureError::Depth`] when the sizes differ.
pub fn read(file: &Path, depth: Option<&Path>) -> Result<Picture, PictureError> {
    let (size, samples, pixels) = decode(file)?;
    let pixel = |pixel: &[u8]| match *pixel {
        [red, green, blue, ..] => [red, green, blue],
        _ => [pixel[0]; 3],
    };
    let colours = pixels.chunks_exact(samples).flat_map(pixel).collect();
    let depth = match depth {
        None => {
            (0..size.pixels()).map(|i| 255 - (i / size.width as usize * 255 / size.height as usize) as u8).collect()
        }
        Some(depth) => {
            let (other, samples, pixels) = decode(depth)?;
            if other != size {
                return Err(PictureError::Depth { depth: other, picture: size });
            }
            pixels.iter().step_by(samples).copied().collect()
        }
    };
    Ok(Picture { size, colours, depth })
}

/// Writes red, green and blue of each pixel, or one grey value per pixel. An existing file is left alone.
///
/// # Errors
/// [`PictureError::File`], also when the file exists.
pub fn write(file: &Path, size: Size, pixels: &[u8]) -> Result<(), PictureError> {
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(|why| failed(folder, why))?;
    }
    let created = OpenOptions::new().write(true).create_new(true).open(file).map_err(|why| failed(file, why))?;
    let mut encoder = Encoder::new(BufWriter::new(created), size.width, size.height);
    encoder.set_color(if pixels.len() == size.pixels() { ColorType::Grayscale } else { ColorType::Rgb });
    encoder.set_depth(BitDepth::Eight);
    let mut writer = encoder.write_header().map_err(|why| failed(file, why))?;
    writer.write_image_data(pixels).map_err(|why| failed(file, why))?;
    writer.finish().map_err(|why| failed(file, why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::picture::draw;

    #[test]
    fn what_is_written_is_read_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (file, depths) = (folder.path().join("new/picture.png"), folder.path().join("depth.png"));
        let picture = draw(Size { width: 20, height: 15 }).unwrap();
        write(&file, picture.size, &picture.colours).unwrap();
        write(&depths, picture.size, &picture.depth).unwrap();
        assert_eq!(read(&file, Some(&depths)).unwrap(), picture);
        let landscape = read(&file, None).unwrap();
        assert_eq!((landscape.depth[0], landscape.depth[299]), (255, 17));
        assert_eq!(write(&file, picture.size, &picture.colours).unwrap_err().exit_code(), 2);
        fs::write(&depths, b"no picture").unwrap();
        assert!(matches!(read(&file, Some(&depths)), Err(PictureError::File { .. })));
        let other = draw(Size { width: 20, height: 16 }).unwrap();
        fs::remove_file(&depths).unwrap();
        write(&depths, other.size, &other.depth).unwrap();
        assert!(read(&file, Some(&depths)).unwrap_err().to_string().contains("20×16"));
    }
}
