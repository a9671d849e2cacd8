//! Text on its way between Rust, C and the engine.

use crate::errno::Answer;
use alloc::{borrow::ToOwned, ffi::CString, string::String, vec::Vec};
use core::{
    ffi::{CStr, c_char},
    ops::Deref,
    slice,
};
use rquickjs::{Ctx, FromJs, Result, Value};

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

/// `EINVAL` for text with a zero byte, which C cannot hold.
pub fn to_c(text: &str) -> Answer<CString> {
    CString::new(text).map_err(|_| libc::EINVAL)
}

/// What is no UTF-8 becomes U+FFFD.
///
/// # Safety
/// `text` points to bytes that a zero byte ends.
pub unsafe fn from_c(text: *const c_char) -> String {
    // SAFETY: as the caller promised.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
