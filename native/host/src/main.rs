//! `amplihack-hooks` without Node. All decisions are in the embedded TypeScript; this is the door to the
//! outside and nothing more.

mod arena;
mod engine;
mod errno;
mod files;
mod image;
mod interrupt;
mod modules;
mod outside;
mod processes;
mod reply;
mod stdio;

use engine::Engine;
use std::env;

fn main() {
    interrupt::install();
    let argv: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if matches!(argv.first().map(String::as_str), Some("--version" | "-V")) {
        stdio::write_all(1, format!("amplihack-hooks {}\n", modules::VERSION).as_bytes());
        return;
    }
    if let [flag, executable] = argv.as_slice()
        && flag == "--write-image"
    {
        return image::append(executable);
    }
    let entry = argv.first().map_or(modules::USAGE_ENTRY, |name| modules::entry_for(name));
    interrupt::prepare_last_words(entry);
    match arena::root::<Engine>() {
        Some(engine) => engine.run(entry, argv),
        None => match Engine::prepare(&[entry], &[]) {
            Ok(engine) => engine.run(entry, argv),
            Err(_) => interrupt::last_words(),
        },
    }
}
