//! Text on its way between Rust and C.

use crate::errno::Answer;
use alloc::{ffi::CString, string::String};
use core::ffi::{CStr, c_char};

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
