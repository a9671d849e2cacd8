//! `amplihack-hooks` without Node. All decisions are in the embedded TypeScript; this is the door to the
//! outside and nothing more.

#![no_std]
#![no_main]

extern crate alloc;

mod child;
mod clock;
mod copy;
mod crash;
mod engine;
mod errno;
mod facts;
mod files;
mod git_index;
#[cfg(target_os = "linux")]
mod image;
#[cfg(target_os = "linux")]
mod image_writer;
mod interrupt;
#[cfg(target_os = "linux")]
mod memory;
mod modules;
mod outside;
mod processes;
mod realm;
mod reply;
mod sha256;
mod stdio;
mod system_memory;
mod text;
mod unwinding;

use alloc::{format, string::String, vec::Vec};
use core::{ffi::c_char, panic::PanicInfo};
use engine::Engine;

/// The C library is all this stands on: without Rust's own the program is smaller and starts sooner.
#[unsafe(no_mangle)]
pub extern "C" fn main(count: i32, words: *const *const c_char) -> i32 {
    let count = count.max(0) as usize;
    // SAFETY: the kernel passes that many words, each with a zero byte at its end.
    unsafe {
        crash::prepare(count, words);
        interrupt::install();
        start((1..count).map(|at| text::from_c(*words.add(at))).collect());
    }
    0
}

fn start(argv: Vec<String>) {
    if matches!(argv.first().map(String::as_str), Some("--version" | "-V")) {
        stdio::write_all(1, format!("amplihack-hooks {}\n", modules::VERSION).as_bytes());
        return;
    }
    #[cfg(target_os = "linux")]
    if let [flag, output, folder, payloads] = argv.as_slice()
        && flag == "--write-image"
    {
        return image_writer::write(output, folder, payloads);
    }
    let entry = argv.first().map_or(modules::USAGE_ENTRY, |name| modules::entry_for(name));
    crash::prepare_last_words(entry);
    #[cfg(target_os = "linux")]
    if let Some(engine) = image::attach() {
        engine.run(entry, argv)
    }
    match Engine::prepare(&[entry], &[], &[]) {
        Ok(engine) => engine.run(entry, argv),
        Err(_) => crash::answer(),
    }
}

/// A program that panics has last words too.
#[panic_handler]
fn on_panic(_: &PanicInfo<'_>) -> ! {
    crash::answer()
}
