//! Images for the model: what it can take, where the original is more than that.
//!
//! Models scale an image down to 1,568 pixels on its long edge, and refuse one that is too large
//! whole. Such an image is shown by a copy that fits, while the original stays the file. Its
//! dimensions are read before anything is decoded; what would take too much memory, what is too long
//! and what cannot be decoded is named only. One image is decoded at a time, so that memory does not
//! grow with the number of calls.

use std::{
    io::Cursor,
    sync::{Mutex, PoisonError},
};

use image::{DynamicImage, ImageFormat, ImageReader, Limits, codecs::jpeg::JpegEncoder};
use resultant::ShownImage;

/// Pixels of the long edge that a model takes.
const EDGE_MAX: u32 = 1568;
/// Bytes of base64 that a model takes.
const BASE64_BYTES_MAX: usize = 700_000;
/// A file with more bytes is not looked at.
pub(crate) const SOURCE_BYTES_MAX: u64 = 32 << 20;
/// More pixels are not decoded.
const PIXELS_MAX: u64 = 12_000_000;
/// The most that decoding may take: as many pixels of eight bytes, and some room to work.
const DECODED_BYTES_MAX: u64 = PIXELS_MAX * 8 + (32 << 20);
/// How often a copy that has too many bytes is made anew, each time smaller.
const ATTEMPTS_MAX: usize = 4;
const JPEG_QUALITY: u8 = 82;

/// How an image is shown that is more than a model takes; nothing for one that is not, or whose
/// type or dimensions cannot be told.
pub(crate) fn shown(bytes: &[u8]) -> Option<ShownImage> {
    let format = format_of(bytes)?;
    let is_long = bytes.len().div_ceil(3) * 4 > BASE64_BYTES_MAX;
    let Ok(size) = imagesize::blob_size(bytes) else {
        return is_long.then_some(ShownImage::Name);
    };
    if !is_long && size.width.max(size.height) <= EDGE_MAX as usize {
        return None;
    }
    let pixels = (size.width as u64).saturating_mul(size.height as u64);
    if pixels > PIXELS_MAX {
        return Some(ShownImage::Name);
    }
    let copy = decoded(bytes, format).and_then(|image| copy(&image, format));
    let copy = copy.map(|(mime, bytes)| {
        let base64 = base64_simd::STANDARD.encode_to_string(&bytes);
        ShownImage::Copy { mime, base64 }
    });
    Some(copy.unwrap_or(ShownImage::Name))
}

/// By its first bytes; those that models take.
fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(bytes).ok()?;
    let is_taken = matches!(
        format,
        ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::Gif | ImageFormat::WebP
    );
    is_taken.then_some(format)
}

/// The image, already small; of one that moves, its first frame.
fn decoded(bytes: &[u8], format: ImageFormat) -> Option<DynamicImage> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_alloc = Some(DECODED_BYTES_MAX);
    reader.limits(limits);
    let image = reader.decode().ok()?;
    // What it says of itself before it is decoded need not be true.
    if u64::from(image.width()) * u64::from(image.height()) > PIXELS_MAX {
        return None;
    }
    let is_large = image.width().max(image.height()) > EDGE_MAX;
    let small = if is_large { image.thumbnail(EDGE_MAX, EDGE_MAX) } else { image };
    Some(match small.color().has_alpha() {
        true => small.to_rgba8().into(),
        false => small.to_rgb8().into(),
    })
}

/// A copy with few enough bytes. Drawings stay sharp, as PNG, where that is short enough.
fn copy(image: &DynamicImage, format: ImageFormat) -> Option<(&'static str, Vec<u8>)> {
    let fits = |bytes: &Vec<u8>| bytes.len().div_ceil(3) * 4 <= BASE64_BYTES_MAX;
    if format != ImageFormat::Jpeg {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, ImageFormat::Png).ok()?;
        if let Some(bytes) = Some(bytes.into_inner()).filter(fits) {
            return Some(("image/png", bytes));
        }
    }
    let mut image = on_white(image);
    for _ in 0..ATTEMPTS_MAX {
        let mut bytes = Vec::new();
        image.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY)).ok()?;
        if fits(&bytes) {
            return Some(("image/jpeg", bytes));
        }
        let (width, height) = (image.width() * 3 / 4, image.height() * 3 / 4);
        image = image.thumbnail(width.max(1), height.max(1));
    }
    None
}

/// JPEG has no transparency.
fn on_white(image: &DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image.to_rgb8().into();
    }
    let mut flat = image::RgbImage::new(image.width(), image.height());
    for (to, from) in flat.pixels_mut().zip(image.to_rgba8().pixels()) {
        let alpha = u16::from(from.0[3]);
        let blend = |channel: u8| ((u16::from(channel) * alpha + 255 * (255 - alpha)) / 255) as u8;
        to.0 = [blend(from.0[0]), blend(from.0[1]), blend(from.0[2])];
    }
    flat.into()
}

#[cfg(test)]
mod tests {
    use image::{Rgb, RgbImage, RgbaImage};

    use super::*;

    fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
        let mut bytes = Cursor::new(Vec::new());
        image.write_to(&mut bytes, format).unwrap();
        bytes.into_inner()
    }

    /// Noise, which no format makes small.
    fn noise(width: u32, height: u32) -> DynamicImage {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        RgbImage::from_fn(width, height, |_, _| Rgb([next(), next(), next()])).into()
    }

    fn gradient(width: u32, height: u32) -> DynamicImage {
        RgbImage::from_fn(width, height, |x, y| Rgb([(x >> 4) as u8, (y >> 4) as u8, 7])).into()
    }

    #[track_caller]
    fn copied(bytes: &[u8]) -> (&'static str, u32, u32) {
        let Some(ShownImage::Copy { mime, base64 }) = shown(bytes) else { panic!("no copy") };
        assert!(base64.len() <= BASE64_BYTES_MAX);
        let bytes = base64_simd::STANDARD.decode_to_vec(&base64).unwrap();
        let image = image::load_from_memory(&bytes).unwrap();
        assert_eq!(image::guess_format(&bytes).unwrap().to_mime_type(), mime);
        assert!(image.width().max(image.height()) <= EDGE_MAX);
        (mime, image.width(), image.height())
    }

    #[test]
    fn what_a_model_takes_is_shown_as_it_came() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::Gif] {
            assert_eq!(shown(&encoded(&gradient(300, 200), format)), None);
        }
        for other in [&b"<html></html>"[..], b"", b"<svg/>", b"BM123456", b"\x89PNG\r\n\x1a\n"] {
            assert_eq!(shown(other), None);
        }
    }

    #[test]
    fn what_is_more_is_shown_by_a_copy() {
        let png = encoded(&gradient(3000, 1500), ImageFormat::Png);
        assert_eq!(copied(&png), ("image/png", 1568, 784));
        let jpeg = encoded(&gradient(2000, 4000), ImageFormat::Jpeg);
        assert_eq!(copied(&jpeg), ("image/jpeg", 784, 1568));
        let webp = encoded(&gradient(1600, 100), ImageFormat::WebP);
        assert_eq!(copied(&webp), ("image/png", 1568, 98));
        let (mime, ..) = copied(&encoded(&noise(1500, 1500), ImageFormat::Png));
        assert_eq!(mime, "image/jpeg", "too long as PNG");
        let thin = encoded(&gradient(9000, 1), ImageFormat::Png);
        assert_eq!(copied(&thin), ("image/png", 1568, 1));
        let clear: DynamicImage = RgbaImage::new(2000, 10).into();
        assert_eq!(copied(&encoded(&clear, ImageFormat::Png)).0, "image/png");
    }

    /// A PNG that says it has these dimensions.
    fn png_of(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = encoded(&gradient(8, 8), ImageFormat::Png);
        bytes[16..20].copy_from_slice(&width.to_be_bytes());
        bytes[20..24].copy_from_slice(&height.to_be_bytes());
        let mut crc = flate2::Crc::new();
        crc.update(&bytes[12..29]);
        bytes[29..33].copy_from_slice(&crc.sum().to_be_bytes());
        bytes
    }

    #[test]
    fn bombs_are_named_only() {
        assert_eq!(shown(&png_of(50_000, 50_000)), Some(ShownImage::Name));
        assert_eq!(shown(&png_of(u32::MAX >> 1, u32::MAX >> 1)), Some(ShownImage::Name));
        // Few enough pixels, but they are not there.
        assert_eq!(shown(&png_of(4000, 2000)), Some(ShownImage::Name));
        // Over twelve megapixels, and real.
        let large = encoded(&DynamicImage::new_luma8(5000, 3000), ImageFormat::Png);
        assert_eq!(shown(&large), Some(ShownImage::Name));
    }

    #[test]
    fn of_a_hundred_thousand_frames_one_is_decoded() {
        let mut gif = b"GIF89a\xd0\x07\xd0\x07\x80\0\0\0\0\0\xff\xff\xff".to_vec();
        let frame = b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0";
        for _ in 0..100_000 {
            gif.extend_from_slice(frame);
        }
        gif.push(0x3b);
        assert_eq!(copied(&gif), ("image/png", 1568, 1568));
    }
}
