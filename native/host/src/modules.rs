//! The embedded modules and the table of subcommands, both written by `npm run build:native`.

include!("../../generated/modules.rs");

/// The module that serves a subcommand in any spelling; unknown ones go to the module that says so.
pub fn entry_for(name: &str) -> &'static str {
    let key: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|letter| letter.to_ascii_lowercase()).collect();
    ENTRIES.iter().find(|(known, _)| *known == key).map_or(USAGE_ENTRY, |(_, entry)| entry)
}
