//! The modules, their names and the table of subcommands; all but this is written by `npm run build:native`.

use crate::files;
use alloc::{borrow::{Cow, ToOwned}, format, string::String};

include!("../../generated/modules.rs");

/// Where the modules lie while an image is written; an executable with an image embeds only what that leaves out.
static mut FOLDER: Option<&str> = None;

#[cfg(target_os = "linux")]
pub fn read_from(folder: &str) {
    // SAFETY: one thread.
    unsafe { FOLDER = Some(folder.to_owned().leak()) };
}

/// The bytecode of a module.
pub fn find(name: &str) -> Option<Cow<'static, [u8]>> {
    // SAFETY: one thread.
    if let Some(folder) = unsafe { FOLDER } {
        return files::read_whole(format!("{folder}/{name}.bc").as_bytes(), usize::MAX - 1).ok().map(Cow::Owned);
    }
    MODULES.iter().find(|(known, _)| *known == name).map(|(_, bytes)| Cow::Borrowed(*bytes))
}

/// The module that serves a subcommand in any spelling; unknown ones go to the module that says so.
pub fn entry_for(name: &str) -> &'static str {
    let key: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    ENTRIES.iter().find(|(known, _)| *known == key).map_or(USAGE_ENTRY, |(_, entry)| entry)
}
