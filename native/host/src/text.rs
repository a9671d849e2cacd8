//! Text on its way between Rust, C and the engine.

use crate::{errno::Answer, reply::Bytes};
use alloc::{borrow::ToOwned, ffi::CString, string::String, vec::Vec};
use core::{
    ffi::{CStr, c_char},
    ops::Deref,
    slice,
};
use rquickjs::{Ctx, FromJs, IntoJs, Result, Value};

/// Text of the engine. A lone surrogate, for which UTF-8 has no bytes, becomes U+FFFD.
pub struct Text(pub String);

impl Deref for Text {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'js> FromJs<'js> for Text {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> Result<Text> {
        let written = rquickjs::String::from_value(value)?.to_cstring()?;
        // SAFETY: the engine's copy lives as long as `written` and is that long.
        let bytes = unsafe { slice::from_raw_parts(written.as_ptr().cast::<u8>(), written.len()) };
        Ok(Text(core::str::from_utf8(bytes).map_or_else(|_| without_surrogates(bytes), ToOwned::to_owned)))
    }
}

/// The engine writes a lone surrogate as three bytes, of which the first two tell it from everything else.
fn without_surrogates(bytes: &[u8]) -> String {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, ..] = rest {
        let is_surrogate = matches!(rest, [0xed, 0xa0..=0xbf, _, ..]);
        kept.extend_from_slice(if is_surrogate { "\u{fffd}".as_bytes() } else { slice::from_ref(first) });
        rest = &rest[if is_surrogate { 3 } else { 1 }..];
    }
    String::from_utf8_lossy(&kept).into_owned()
}

/// The name or path of a file, which is bytes. What is not UTF-8 is a lone surrogate for each byte in the engine, and
/// comes back as bytes.
pub struct Name(pub Vec<u8>);

impl Deref for Name {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl<'js> FromJs<'js> for Name {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> Result<Name> {
        let written = rquickjs::String::from_value(value)?.to_cstring()?;
        // SAFETY: the engine's copy lives as long as `written` and is that long.
        let bytes = unsafe { slice::from_raw_parts(written.as_ptr().cast::<u8>(), written.len()) };
        Ok(Name(if bytes.contains(&0xed) { with_raw_bytes(bytes) } else { bytes.to_vec() }))
    }
}

impl<'js> IntoJs<'js> for Name {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        match String::from_utf8(self.0) {
            Ok(text) => text.into_js(ctx),
            Err(raw) => Bytes(raw.into_bytes()).into_js(ctx),
        }
    }
}

/// Surrogates from U+DC80 to U+DCFF are single bytes; any other lone one is U+FFFD.
fn with_raw_bytes(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, ..] = rest {
        let taken = match rest {
            [0xed, second @ 0xb2..=0xb3, third, ..] => {
                kept.push((second << 6) | (third & 0x3f));
                3
            }
            [0xed, 0xa0..=0xbf, _, ..] => {
                kept.extend_from_slice("\u{fffd}".as_bytes());
                3
            }
            _ => {
                kept.push(*first);
                1
            }
        };
        rest = &rest[taken..];
    }
    kept
}

/// `EINVAL` for text with a zero byte, which C cannot hold.
pub fn to_c(text: impl Into<Vec<u8>>) -> Answer<CString> {
    CString::new(text).map_err(|_| libc::EINVAL)
}

/// # Safety
/// `name` points to bytes that a zero byte ends.
pub unsafe fn name_from_c(name: *const c_char) -> Name {
    // SAFETY: as the caller promised.
    Name(unsafe { CStr::from_ptr(name) }.to_bytes().to_vec())
}

/// What is no UTF-8 becomes U+FFFD.
///
/// # Safety
/// `text` points to bytes that a zero byte ends.
pub unsafe fn from_c(text: *const c_char) -> String {
    // SAFETY: as the caller promised.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
