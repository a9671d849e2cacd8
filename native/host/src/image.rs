//! The last step of the build: the engine with all hooks loaded goes to the end of the executable, so that a
//! start maps memory instead of creating an engine and loading modules.

use crate::{arena, engine::Engine, modules, stdio};
use std::{fs::OpenOptions, os::fd::AsRawFd, process};

/// Appends the image to `executable`, which must be a copy of the program that is running.
pub fn append(executable: &str) {
    if !arena::begin_image() {
        fail("no image can be made on this platform, or this executable carries one already");
    }
    let mut entries: Vec<&str> = modules::ENTRIES.iter().map(|(_, entry)| *entry).collect();
    entries.sort_unstable();
    entries.dedup();
    let Ok(engine) = Engine::prepare(&entries, modules::ALSO) else { fail("the hooks could not be loaded") };
    let file = match OpenOptions::new().append(true).open(executable) {
        Ok(file) => file,
        Err(error) => fail(&format!("{executable}: {error}")),
    };
    let length = file.metadata().map_or(0, |facts| facts.len()) as usize;
    arena::write_image(engine, length, |bytes| {
        if stdio::write_all(file.as_raw_fd(), bytes).is_some() {
            fail("the image could not be written");
        }
    });
}

fn fail(reason: &str) -> ! {
    stdio::write_all(2, format!("amplihack-hooks --write-image: {reason}\n").as_bytes());
    process::exit(1)
}
