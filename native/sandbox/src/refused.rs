//! Which files were refused. Nothing tells an ordinary user what the kernel refused, so the command's own errors are read
//! on their way: a path in a line that speaks of a refusal is named only if the policy does refuse it, and the machine
//! would not have. Only where errors go to a pipe or socket, as in hosts: a file or terminal is handed on as it is.

use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, recv, send, socketpair};

use crate::namespaces::{Side, fork};
use crate::policy::{Layer, Policy};

const ERRORS: i32 = 2;
const OUTPUT: i32 = 1;
const BLOCK: usize = 64 * 1024;
const MAX_LINE: usize = 4096;
const MAX_NAMED: usize = 3;
const MAX_KNOWN: usize = 200;
const MAX_TEXT: usize = 16 * 1024;
/// As the C library says it and as programs name it; of a hidden folder the content is not there.
const REFUSALS: [&str; 6] =
    ["ermission denied", "EACCES", "peration not permitted", "EPERM", "ead-only file system", "EROFS"];
const ABSENCES: [&str; 2] = ["o such file or directory", "ENOENT"];

/// Between the command's errors and where they go.
pub struct Errors {
    /// What the command writes to; none once it is started.
    pipe: Option<OwnedFd>,
    asking: OwnedFd,
    takes_output: bool,
}

impl Errors {
    /// `None` where errors go straight on.
    pub fn watch(policy: &Policy, directory: &Path) -> Option<Errors> {
        let [errors, output] = [ERRORS, OUTPUT].map(place_of);
        if !errors.is_some_and(|(mode, ..)| matches!(mode & libc::S_IFMT, libc::S_IFIFO | libc::S_IFSOCK)) {
            return None;
        }
        // Both in one place come out in the order in which they were written.
        let takes_output = errors == output;
        let (reading, pipe) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).ok()?;
        let (asking, asked) =
            socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None).ok()?;
        match fork(0) {
            Ok(Side::Parent(_)) => Some(Errors { pipe: Some(pipe), asking, takes_output }),
            Ok(Side::Child) => {
                drop((pipe, asking));
                become_watcher();
                Watcher { policy, directory, line: Vec::new(), found: Vec::new(), more: 0 }.run(&reading, &asked);
                unsafe { libc::_exit(0) }
            }
            Err(_) => None,
        }
    }

    /// In the process that becomes the command, or starts it.
    pub fn take_over(self) {
        let Some(pipe) = self.pipe else { return };
        for stream in [ERRORS, OUTPUT].into_iter().take(1 + usize::from(self.takes_output)) {
            unsafe { libc::dup2(pipe.as_raw_fd(), stream) };
        }
    }

    /// The command has been started elsewhere.
    pub fn let_go(&mut self) {
        self.pipe = None;
    }

    /// What was refused, in words for people, once all errors up to now have gone on.
    pub fn tell(self) -> Vec<u8> {
        let mut text = vec![0; MAX_TEXT];
        let told = send(&self.asking, b"?", SendFlags::NOSIGNAL)
            .and_then(|_| recv(&self.asking, &mut text[..], rustix::net::RecvFlags::empty()));
        text.truncate(told.map_or(0, |(length, _)| length));
        text
    }
}

fn place_of(stream: i32) -> Option<(u32, u64, u64)> {
    let stat = rustix::fs::fstat(unsafe { BorrowedFd::borrow_raw(stream) }).ok()?;
    Some((stat.st_mode, stat.st_dev, stat.st_ino))
}

/// An interrupt is the command's, which may have more to say.
fn become_watcher() {
    let _ = rustix::process::setsid();
    unsafe {
        for signal in [libc::SIGINT, libc::SIGTERM, libc::SIGHUP, libc::SIGQUIT, libc::SIGPIPE] {
            libc::signal(signal, libc::SIG_IGN);
        }
        // Whoever reads the output must see its end.
        for stream in [0, OUTPUT] {
            let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            libc::dup2(nothing, stream);
        }
    }
}

struct Watcher<'a> {
    policy: &'a Policy,
    directory: &'a Path,
    line: Vec<u8>,
    found: Vec<Refused>,
    more: usize,
}

#[derive(PartialEq, Eq)]
struct Refused {
    path: PathBuf,
    how: How,
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum How {
    Read,
    Change,
    /// Below what may be changed, and nobody can allow it for the sandbox.
    Protected,
}

impl Watcher<'_> {
    /// Until nobody has the pipe any more, also after the program that started this has ended.
    fn run(&mut self, reading: &OwnedFd, asked: &OwnedFd) {
        let (mut is_open, mut is_wanted) = (true, true);
        while is_open || is_wanted {
            let mut watched = Vec::new();
            if is_open {
                watched.push(PollFd::new(reading, PollFlags::IN));
            }
            if is_wanted {
                watched.push(PollFd::new(asked, PollFlags::IN));
            }
            match poll(&mut watched, None) {
                Err(rustix::io::Errno::INTR) => continue,
                Err(_) => return,
                Ok(_) => {}
            }
            let ready: Vec<bool> = watched.iter().map(|one| !one.revents().is_empty()).collect();
            if is_open && ready[0] {
                is_open = self.hand_on(reading);
            } else if is_wanted && ready[usize::from(is_open)] {
                is_wanted = false;
                let mut word = [0; 1];
                if matches!(recv(asked, &mut word[..], rustix::net::RecvFlags::empty()), Ok((1, _))) {
                    while is_open && has_more(reading) {
                        is_open = self.hand_on(reading);
                    }
                    let text = self.text().into_bytes();
                    let _ = send(asked, &text[..text.len().min(MAX_TEXT)], SendFlags::NOSIGNAL);
                }
            }
        }
    }

    /// False when there is nothing more to come, or nobody who takes it.
    fn hand_on(&mut self, reading: &OwnedFd) -> bool {
        let mut bytes = [0_u8; BLOCK];
        let length = match rustix::io::read(reading, &mut bytes) {
            Ok(0) => return false,
            Ok(length) => length,
            Err(rustix::io::Errno::INTR) => return true,
            Err(_) => return false,
        };
        if write_all(&bytes[..length]).is_err() {
            return false;
        }
        for part in bytes[..length].split_inclusive(|byte| *byte == b'\n') {
            let room = MAX_LINE.saturating_sub(self.line.len());
            self.line.extend_from_slice(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                self.read_line();
            }
        }
        true
    }

    fn read_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        let text = String::from_utf8_lossy(&line);
        let at = |words: &[&str]| words.iter().filter_map(|word| text.find(word)).min();
        let (is_refusal, at) = match (at(&REFUSALS), at(&ABSENCES)) {
            (Some(at), _) => (true, at),
            (None, Some(at)) => (false, at),
            _ => return,
        };
        for word in named_paths(&text, at) {
            let Some(refused) = self.judge(Path::new(word), is_refusal) else { continue };
            if self.found.contains(&refused) {
                continue;
            }
            if self.found.len() < MAX_KNOWN { self.found.push(refused) } else { self.more += 1 }
        }
    }

    fn judge(&self, word: &Path, is_refusal: bool) -> Option<Refused> {
        let path = resolve(&self.directory.join(word));
        let is_in = |list: &[PathBuf]| list.iter().any(|one| path.starts_with(one));
        let is_hidden = self.policy.hide.iter().any(|one| path.starts_with(&one.path)) && !is_in(&self.policy.show);
        if is_hidden {
            return path.symlink_metadata().is_ok().then_some(Refused { path, how: How::Read });
        }
        if !is_refusal || !may_change(&path) {
            return None;
        }
        let is_reserved = self.policy.reserve.iter().any(|one| path.starts_with(&one.path));
        if is_reserved || is_in(&self.policy.read_only) {
            return Some(Refused { path, how: How::Protected });
        }
        let is_writable = is_in(&self.policy.write) || self.policy.overlay.iter().any(|one| path.starts_with(&one.path));
        // They are the command's own.
        let is_own = self.policy.has(Layer::Namespaces) && ["/dev", "/proc"].iter().any(|own| path.starts_with(own));
        (!is_writable && !is_own).then_some(Refused { path, how: How::Change })
    }

    /// One line for each thing that a person could do about it.
    fn text(&mut self) -> String {
        if !self.line.is_empty() {
            self.read_line();
        }
        let mut text = String::new();
        for (how, what) in [(How::Read, "reading"), (How::Change, "changing"), (How::Protected, "changing")] {
            let paths: Vec<&Path> = self.found.iter().filter(|one| one.how == how).map(|one| one.path.as_path()).collect();
            let Some(first) = paths.first() else { continue };
            let named: Vec<String> = paths.iter().take(MAX_NAMED).map(|path| shown(path)).collect();
            let rest = paths.len() - named.len() + self.more;
            let more = if rest == 0 { String::new() } else { format!(" and {rest} more") };
            let advice = match how {
                How::Read => format!("To allow it: amplihack sandbox allow --read {}", quoted(first)),
                How::Change => format!("To allow it: amplihack sandbox allow {}", quoted(&nearest(first))),
                How::Protected => "It starts something later or is protected, so only a person changes it".into(),
            };
            text += &format!("amplihack: the sandbox refused {what} {}{more}. {advice}\n", named.join(", "));
        }
        text
    }
}

/// Words between quotation marks, or else words with a slash and what stands before the refusal: `cat: NAME: Permission denied`.
fn named_paths(text: &str, at: usize) -> Vec<&str> {
    let marks = ['\'', '"', '`', '‘', '’', '“', '”'];
    let parts: Vec<&str> = text.split(marks).collect();
    // An odd number of marks: one of them is an apostrophe.
    if parts.len() > 2 && parts.len() % 2 == 1 {
        return parts.into_iter().skip(1).step_by(2).filter(|word| !word.is_empty()).collect();
    }
    // The refusal's first letter, which may be large or small, stands before it.
    let before = text[..at].trim_end_matches(char::is_alphabetic).trim_end();
    let last = before.strip_suffix(':').and_then(|rest| rest.rsplit_once(": ")).map(|(_, last)| last);
    let is_around = |one: char| marks.contains(&one) || "()[]<>{},;:.".contains(one);
    let trim = |word: &'_ str| -> usize { word.len() - word.trim_start_matches(|one| one != '.' && is_around(one)).len() };
    let plain = text.split_whitespace().map(move |word| word[trim(word)..].trim_end_matches(is_around));
    let has_slash = |word: &&str| word.contains('/') && !word.contains("://");
    last.into_iter().chain(plain.filter(has_slash)).filter(|word| !word.is_empty()).collect()
}

/// Without links as far as it is there, and without `..`.
fn resolve(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(clean.pop()),
            Component::CurDir => {}
            part => clean.push(part),
        }
    }
    let there = nearest(&clean);
    let Ok(real) = there.canonicalize() else { return clean };
    match clean.strip_prefix(&there) {
        Ok(rest) if !rest.as_os_str().is_empty() => real.join(rest),
        _ => real,
    }
}

/// The path, or the first above it that is there.
fn nearest(path: &Path) -> PathBuf {
    path.ancestors().find(|one| one.symlink_metadata().is_ok()).unwrap_or(Path::new("/")).to_path_buf()
}

/// Without a sandbox this user could: otherwise it was the machine that refused.
fn may_change(path: &Path) -> bool {
    accessat(CWD, nearest(path), Access::WRITE_OK, AtFlags::EACCESS).is_ok()
}

/// A name may hold anything, and the line is read by people and models.
fn shown(path: &Path) -> String {
    path.to_string_lossy().chars().map(|one| if one.is_control() { '?' } else { one }).collect()
}

fn quoted(path: &Path) -> String {
    let text = shown(path);
    let is_plain = text.chars().all(|one| one.is_alphanumeric() || "/._-+@%,:=~".contains(one));
    if is_plain { text } else { format!("'{}'", text.replace('\'', r"'\''")) }
}

fn has_more(reading: &OwnedFd) -> bool {
    let mut watched = [PollFd::new(reading, PollFlags::IN)];
    poll(&mut watched, Some(&Timespec::default())).is_ok() && !watched[0].revents().is_empty()
}

fn write_all(mut bytes: &[u8]) -> io::Result<()> {
    let errors = unsafe { BorrowedFd::borrow_raw(ERRORS) };
    while !bytes.is_empty() {
        match rustix::io::write(errors, bytes) {
            Ok(length) => bytes = &bytes[length..],
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::AGAIN) => {
                let _ = poll(&mut [PollFd::new(&errors.as_fd(), PollFlags::OUT)], None);
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}
