//! `amplihack-hooks` without Node. All decisions are in the embedded TypeScript; this is the door to the
//! outside and nothing more.

mod engine;
mod errno;
mod files;
mod interrupt;
mod modules;
mod outside;
mod processes;
mod reply;
mod stdio;

use std::env;

fn main() {
    interrupt::install();
    let argv: Vec<String> = env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if matches!(argv.first().map(String::as_str), Some("--version" | "-V")) {
        stdio::write_all(1, format!("amplihack-hooks {}\n", modules::VERSION).as_bytes());
        return;
    }
    let entry = argv.first().map_or(modules::USAGE_ENTRY, |name| modules::entry_for(name));
    engine::run(entry, argv)
}
