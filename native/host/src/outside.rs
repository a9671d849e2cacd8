//! Environment, clock, random numbers and text.

use crate::{
    clock,
    errno::Answer,
    files::File,
    interrupt,
    reply::{Bytes, Reply, bytes_of},
    sha256::Sha256,
    text::{Name, Text, from_c, to_c},
};
use alloc::{borrow::Cow, string::String, vec, vec::Vec};
use core::ffi::{CStr, c_char};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};

unsafe extern "C" {
    pub static mut environ: *const *const c_char;
}

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("getEnvironment", Func::from(|name: Text| get_environment(&name)))?;
    host.set("environmentNames", Func::from(environment_names))?;
    host.set("nowMs", Func::from(clock::now_ms))?;
    host.set("monotonicMs", Func::from(interrupt::elapsed_ms))?;
    host.set("sleepMs", Func::from(clock::sleep_ms))?;
    host.set("setDeadlineMs", Func::from(interrupt::set_deadline))?;
    host.set("randomHex", Func::from(|length: usize| Reply(random_hex(length).map(|text| vec![text]))))?;
    host.set("encode", Func::from(|text: Text| Bytes(text.0.into_bytes())))?;
    host.set("sha256", Func::from(sha256))?;
    host.set("checksum", Func::from(|text: Name| checksum(&text)))?;
    host.set("decode", Func::from(decode))
}

pub fn get_environment(name: &str) -> Option<String> {
    let is_legal = !name.is_empty() && !name.contains('=');
    let name = to_c(name).ok().filter(|_| is_legal)?;
    // SAFETY: nothing changes the environment.
    unsafe {
        let value = libc::getenv(name.as_ptr());
        (!value.is_null()).then(|| from_c(value))
    }
}

/// A name may begin with an equals sign; the next one ends it.
fn environment_names() -> Vec<String> {
    let mut names = Vec::new();
    // SAFETY: the list ends with a null; nothing changes it.
    unsafe {
        let mut entry = environ;
        while !entry.is_null() && !(*entry).is_null() {
            let bytes = CStr::from_ptr(*entry).to_bytes();
            if let Some(end) = bytes.iter().skip(1).position(|byte| *byte == b'=') {
                names.push(String::from_utf8_lossy(&bytes[..=end]).into_owned());
            }
            entry = entry.add(1);
        }
    }
    names
}

fn random_hex(length: usize) -> Answer<String> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut bytes = vec![0; length];
    let source = File::open(b"/dev/urandom", libc::O_RDONLY, 0)?;
    let mut filled = 0;
    while filled < length {
        match source.read(&mut bytes[filled..])? {
            0 => return Err(libc::EIO),
            count => filled += count,
        }
    }
    Ok(bytes.iter().map(|byte| DIGITS[usize::from(byte & 15)] as char).collect())
}

/// In hexadecimal: the engine itself would take a hundred times as long.
fn sha256(bytes: TypedArray<'_, u8>) -> String {
    let mut hash = Sha256::new();
    hash.update(&bytes_of(&bytes));
    hash.finish()
}

/// FNV-1a over UTF-16 units; none for a text that may have had lone surrogates.
fn checksum(text: &[u8]) -> Option<u32> {
    let text = core::str::from_utf8(text).ok()?;
    if text.contains('\u{fffd}') {
        return None;
    }
    Some(text.encode_utf16().fold(0x811c_9dc5, |hash, unit| (hash ^ u32::from(unit)).wrapping_mul(0x0100_0193)))
}

fn decode<'js>(ctx: Ctx<'js>, bytes: TypedArray<'js, u8>) -> Result<Object<'js>> {
    let bytes = bytes_of(&bytes);
    let text = String::from_utf8_lossy(&bytes);
    let result = Object::new(ctx)?;
    result.set("replaced", matches!(text, Cow::Owned(_)))?;
    result.set("text", text.as_ref())?;
    Ok(result)
}
