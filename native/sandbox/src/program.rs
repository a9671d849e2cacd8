//! What the words of the command line ask for.

use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;

use crate::check::check;
use crate::failure::{Because, Part, Result, fail};
use crate::inside::report;
use crate::layer::print_layer;
use crate::outside::{self, REFUSED};
use crate::policy::{open_home, read_policy};

const USAGE: &str = "expected [--home DIR] ID [-- COMMAND...], [--home DIR] --check, or --layer DIR";

enum Request {
    Check { home: Option<PathBuf> },
    Layer { folder: PathBuf },
    Run { home: PathBuf, id: String, words: Vec<OsString> },
}

pub fn run(words: Vec<OsString>) -> i32 {
    match settle_descriptors().and_then(|()| read_request(words)).and_then(answer) {
        Ok(code) => code,
        Err(failure) => {
            report(&failure);
            REFUSED
        }
    }
}

fn answer(request: Request) -> Result<i32> {
    match request {
        Request::Check { home } => {
            let folder = home.map(|home| home.join("sandbox"));
            let text = check(folder.as_deref());
            writeln!(std::io::stdout(), "{text}").because(Part::Arguments, "printing")?;
            Ok(0)
        }
        Request::Layer { folder } => print_layer(&folder).map(|()| 0),
        Request::Run { home, id, words } => {
            let home = open_home(&home)?;
            let policy = read_policy(&home, &id)?;
            if policy.command.as_ref().map_or(words.is_empty(), |command| command.is_empty() || !words.is_empty()) {
                return fail(Part::Arguments, "the command stands either in the policy or after \"--\"");
            }
            outside::run(&home, &id, &policy, words)
        }
    }
}

fn read_request(words: Vec<OsString>) -> Result<Request> {
    let mut words = words.into_iter();
    let mut home = None;
    let mut first = words.next();
    if first.as_ref().is_some_and(|word| word == "--home") {
        home = words.next().map(PathBuf::from);
        first = words.next();
    }
    let Some(id) = first.and_then(|word| word.into_string().ok()) else { return fail(Part::Arguments, USAGE) };
    if id == "--check" {
        return Ok(Request::Check { home });
    }
    if id == "--layer" {
        return words.next().map(|folder| Request::Layer { folder: folder.into() }).map_or_else(|| fail(Part::Arguments, USAGE), Ok);
    }
    let home = match home.or_else(default_home) {
        Some(home) => home,
        None => return fail(Part::Arguments, "neither --home nor HOME says where policies are"),
    };
    let words = match words.next() {
        None => Vec::new(),
        Some(word) if word == "--" => words.collect(),
        Some(_) => return fail(Part::Arguments, USAGE),
    };
    Ok(Request::Run { home, id, words })
}

fn default_home() -> Option<PathBuf> {
    std::env::var_os("HOME").filter(|value| !value.is_empty()).map(|home| PathBuf::from(home).join(".amplihack"))
}

/// Nothing but the three streams is handed on, and a closed stream is not taken for something that is opened later.
fn settle_descriptors() -> Result<()> {
    unsafe {
        for stream in 0..=2 {
            if libc::fcntl(stream, libc::F_GETFD) < 0 && libc::open(c"/dev/null".as_ptr(), libc::O_RDWR) != stream {
                return fail(Part::Privileges, "a closed stream could not be opened");
            }
            let mut found: libc::stat = std::mem::zeroed();
            // From a folder that was opened outside, the way leads on to all other folders.
            if libc::fstat(stream, &mut found) == 0 && found.st_mode & libc::S_IFMT == libc::S_IFDIR {
                return fail(Part::Privileges, format!("stream {stream} is a folder"));
            }
        }
        if libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, 0) != 0 {
            return Err(std::io::Error::last_os_error()).because(Part::Privileges, "closing inherited descriptors");
        }
        // Ignored children could not be waited for.
        libc::signal(libc::SIGCHLD, libc::SIG_DFL);
    }
    Ok(())
}
