//! The picture that is blurred when nobody gives one: spheres on a chessboard, seen through a pinhole, with how far away
//! each pixel is.

use super::{Picture, PictureError};
use crate::problem::summed_area_table::Size;

/// The largest side of a picture that is drawn here, in pixels.
pub const LARGEST: u32 = 4096;

type Vector = [f32; 3];

/// Centre, radius and colour of each sphere.
const SPHERES: [(Vector, f32, Vector); 4] = [
    ([-1.3, 0.9, 4.2], 0.9, [0.85, 0.25, 0.2]),
    ([0.55, 0.65, 5.6], 0.65, [0.25, 0.65, 0.3]),
    ([2.6, 1.3, 9.0], 1.3, [0.25, 0.4, 0.85]),
    ([-3.6, 1.6, 14.0], 1.6, [0.9, 0.75, 0.25]),
];

/// Height of the eye above the ground.
const EYE: f32 = 1.6;

/// From where the light comes.
const LIGHT: Vector = [-0.48, 0.72, -0.5];

/// What is as far away as this or further has the depth 255.
const FAR: f32 = 16.0;

fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The point of a ray at a distance.
fn along(from: Vector, direction: Vector, distance: f32) -> Vector {
    std::array::from_fn(|axis| from[axis] + distance * direction[axis])
}

/// Where a ray meets a sphere first.
fn meet(from: Vector, direction: Vector, centre: Vector, radius: f32) -> Option<f32> {
    let to: Vector = std::array::from_fn(|axis| from[axis] - centre[axis]);
    let (b, c) = (dot(to, direction), dot(to, to) - radius * radius);
    let root = b.mul_add(b, -c);
    (root >= 0.0).then(|| -b - root.sqrt()).filter(|&distance| distance > 1e-3)
}

/// The colour that a ray sees, and how far it goes.
fn look(from: Vector, direction: Vector) -> (Vector, f32) {
    let ground = (direction[1] < -1e-3).then(|| -from[1] / direction[1]);
    let spheres = SPHERES.iter().filter_map(|&(centre, radius, colour)| {
        meet(from, direction, centre, radius).map(|distance| (distance, Some((centre, radius, colour))))
    });
    let all = spheres.chain(ground.map(|distance| (distance, None)));
    let Some((distance, sphere)) = all.min_by(|a, b| a.0.total_cmp(&b.0)) else {
        let high = direction[1].clamp(0.0, 1.0);
        return ([0.75 - 0.45 * high, 0.85 - 0.3 * high, 0.95], f32::INFINITY);
    };
    let point = along(from, direction, distance);
    let (normal, colour) = match sphere {
        Some((centre, radius, colour)) => (std::array::from_fn(|axis| (point[axis] - centre[axis]) / radius), colour),
        None if (point[0].floor() + point[2].floor()).rem_euclid(2.0) < 1.0 => ([0.0, 1.0, 0.0], [0.85; 3]),
        None => ([0.0, 1.0, 0.0], [0.25; 3]),
    };
    let shaded = SPHERES.iter().any(|&(centre, radius, _)| meet(point, LIGHT, centre, radius).is_some());
    let light = 0.35 + if shaded { 0.0 } else { 0.65 * dot(normal, LIGHT).max(0.0) };
    (colour.map(|part| part * light), distance)
}

/// Draws the picture.
///
/// # Errors
/// [`PictureError::Size`] for one without pixels or larger than [`LARGEST`].
pub fn draw(size: Size) -> Result<Picture, PictureError> {
    let Size { width, height } = size;
    if ![width, height].iter().all(|side| (1..=LARGEST).contains(side)) {
        return Err(PictureError::Size { width, height });
    }
    let (mut colours, mut depth) = (Vec::with_capacity(3 * size.pixels()), Vec::with_capacity(size.pixels()));
    for y in 0..height {
        for x in 0..width {
            let half = width as f32 / 2.0;
            let ray = [(x as f32 + 0.5 - half) / half, (height as f32 / 2.0 - y as f32 - 0.5) / half - 0.12, 1.6];
            let length = dot(ray, ray).sqrt();
            let (colour, distance) = look([0.0, EYE, 0.0], ray.map(|part| part / length));
            // As a screen shows it.
            colours.extend(colour.map(|part| (part.clamp(0.0, 1.0).powf(1.0 / 2.2) * 255.0) as u8));
            depth.push((distance / FAR * 255.0).min(255.0) as u8);
        }
    }
    Ok(Picture { size, colours, depth })
}
