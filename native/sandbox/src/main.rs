//! `amplihack-sandbox [--home DIR] ID [-- COMMAND…]` runs a command under the policy of that id and ends as the command
//! does, or does not start it: exit code 126 and one line that says why. `amplihack-sandbox [--home DIR] --check` prints
//! which layers work here, and `amplihack-sandbox --layer DIR` what a folder that caught changes holds.
//!
//! The program decides nothing: everything that a policy says is enforced, and nothing else.
#![no_main]

#[cfg(target_os = "linux")]
mod access;
#[cfg(target_os = "linux")]
mod aside;
#[cfg(target_os = "linux")]
mod calls;
#[cfg(target_os = "linux")]
mod channel;
#[cfg(target_os = "linux")]
mod check;
#[cfg(target_os = "linux")]
mod failure;
#[cfg(target_os = "linux")]
mod inside;
#[cfg(target_os = "linux")]
mod layer;
#[cfg(target_os = "linux")]
mod namespaces;
#[cfg(target_os = "linux")]
mod network;
#[cfg(target_os = "linux")]
mod outside;
#[cfg(target_os = "linux")]
mod policy;
#[cfg(target_os = "linux")]
mod privileges;
#[cfg(target_os = "linux")]
mod program;
#[cfg(target_os = "linux")]
mod refused;
#[cfg(target_os = "linux")]
mod reserve;
#[cfg(target_os = "linux")]
mod streams;
#[cfg(target_os = "linux")]
mod trees;
#[cfg(target_os = "linux")]
mod view;

/// Not Rust's own `main`, which would change how the command hears of a closed pipe.
#[cfg(target_os = "linux")]
#[unsafe(no_mangle)]
pub extern "C" fn main(count: i32, words: *const *const std::ffi::c_char) -> i32 {
    use std::ffi::{CStr, OsStr};
    use std::os::unix::ffi::OsStrExt;
    let word = |index: usize| unsafe { CStr::from_ptr(*words.add(index)) };
    let words = (1..count as usize).map(|index| OsStr::from_bytes(word(index).to_bytes()).to_owned());
    program::run(words.collect())
}

#[cfg(not(target_os = "linux"))]
#[unsafe(no_mangle)]
pub extern "C" fn main(_count: i32, _words: *const *const std::ffi::c_char) -> i32 {
    eprintln!("amplihack-sandbox: the command was not started: there is no sandbox for this system yet");
    126
}
