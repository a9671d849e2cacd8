//! The first process inside: prepares what the command will see, starts it, and waits for everything that it starts.
//! With a pid namespace its end is the end of all of them, so nothing outlives it.

use std::collections::BTreeMap;
use std::ffi::{CString, OsString};
use std::io::{self, Read, Seek};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, Signal, WaitOptions, kill_process, set_child_subreaper, set_parent_process_death_signal, wait,
};

use crate::access::restrict_access;
use crate::calls::restrict_calls;
use crate::channel::{Message, receive, send};
use crate::failure::{Because, Failure, Part, Result};
use crate::namespaces::{Side, fork};
use crate::network::{listen_for_proxy, start_loopback};
use crate::outside::REFUSED;
use crate::policy::{Layer, Leftovers, Network, Policy};
use crate::privileges::{drop_privileges, hide_memory, set_limits};
use crate::streams::open_again;
use crate::view::{build_view, enter_directory};

pub struct Start {
    pub words: Vec<OsString>,
    pub directory: PathBuf,
    pub mask: libc::sigset_t,
    /// Streams that were opened for reading alone, and where.
    pub inputs: Vec<(i32, PathBuf)>,
    pub has_own_session: bool,
}

pub fn run(policy: &Policy, channel: OwnedFd, start: Start) -> ! {
    let prepared = prepare(policy, &channel, &start).and_then(|special| Ok((begin(policy, &start)?, special)));
    let code = match prepared {
        Ok((command, special)) => First { policy, channel: Some(channel), command, has_own_session: start.has_own_session, status: None }.wait_for_all(special),
        Err(failure) => {
            report(&failure);
            let _ = send(&channel, Message::Failed);
            REFUSED
        }
    };
    unsafe { libc::_exit(code) }
}

pub fn report(failure: &Failure) {
    let Failure { part, reason } = failure;
    eprintln!(
        "amplihack-sandbox: the command was not started: {}: {reason}. See what works here: amplihack sandbox check",
        part.name()
    );
}

fn prepare(policy: &Policy, channel: &OwnedFd, start: &Start) -> Result<Vec<PathBuf>> {
    end_with_parent(channel)?;
    let mut special = Vec::new();
    if policy.has(Layer::Namespaces) {
        if policy.network != Network::On {
            start_loopback()?;
        }
        if let Some(proxy) = &policy.proxy {
            for port in [proxy.port].iter().chain(&proxy.ports) {
                let listener = listen_for_proxy(*port)?;
                send(channel, Message::Listener(listener)).because(Part::Network, "the proxy's socket")?;
            }
        }
        special = build_view(policy)?;
        open_again(&start.inputs).because(Part::Files, "streams")?;
    }
    enter_directory(&start.directory)?;
    hide_memory()?;
    Ok(special)
}

fn end_with_parent(channel: &OwnedFd) -> Result<()> {
    let part = Part::Namespaces;
    set_parent_process_death_signal(Some(Signal::KILL)).because(part, "ending with the parent")?;
    set_child_subreaper(Some(rustix::process::getpid())).because(part, "waiting for everything")?;
    let is_gone = || {
        let mut watched = [PollFd::new(channel, PollFlags::empty())];
        poll(&mut watched, Some(&Timespec::default())).is_ok() && watched[0].revents().contains(PollFlags::HUP)
    };
    match receive(channel) {
        // The parent may have ended before its end could be noticed.
        Ok(Some(Message::Begin)) if !is_gone() => Ok(()),
        _ => unsafe { libc::_exit(REFUSED) },
    }
}

fn begin(policy: &Policy, start: &Start) -> Result<Pid> {
    match fork(0).because(Part::Namespaces, "a process")? {
        Side::Parent(first) => {
            drop_privileges()?;
            release_streams().because(Part::Files, "/dev/null")?;
            Ok(first)
        }
        Side::Child => {
            // Otherwise it could signal the processes that it was started with, by their group.
            if start.has_own_session {
                let _ = rustix::process::setsid();
            }
            let code = match restrict(policy) {
                Ok(()) => become_command(policy, start),
                Err(failure) => {
                    report(&failure);
                    REFUSED
                }
            };
            unsafe { libc::_exit(code) }
        }
    }
}

fn restrict(policy: &Policy) -> Result<()> {
    if !policy.has(Layer::Namespaces) {
        let signal = set_parent_process_death_signal(Some(Signal::KILL));
        signal.because(Part::Privileges, "ending with the parent")?;
    }
    set_limits(policy.limits.as_ref())?;
    drop_privileges()?;
    if policy.has(Layer::Landlock) {
        restrict_access(policy)?;
    }
    if policy.has(Layer::Seccomp) {
        restrict_calls(policy)?;
    }
    Ok(())
}

/// Whoever reads the command's output must see its end when the command's processes have ended.
fn release_streams() -> io::Result<()> {
    let nothing = std::fs::OpenOptions::new().read(true).write(true).open("/dev/null")?;
    for stream in 0..=2 {
        if unsafe { libc::dup2(nothing.as_raw_fd(), stream) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}

fn become_command(policy: &Policy, start: &Start) -> i32 {
    let words = match &policy.command {
        Some(words) => words.iter().map(|word| word.clone().into_bytes()).collect(),
        None => start.words.iter().map(|word| word.clone().into_vec()).collect(),
    };
    let (Ok(words), Ok(environment)) = (strings(words), strings(environment(policy))) else {
        eprintln!("amplihack-sandbox: a word or variable of the command holds a zero byte");
        return REFUSED;
    };
    let pointers = |list: &[CString]| list.iter().map(|one| one.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>();
    let (arguments, variables) = (pointers(&words), pointers(&environment));
    unsafe {
        libc::sigprocmask(libc::SIG_SETMASK, &start.mask, std::ptr::null_mut());
        // A name without a folder is looked for in the `PATH` that the command will have.
        if let Some(path) = environment.iter().find(|one| one.as_bytes().starts_with(b"PATH=")) {
            libc::putenv(path.as_ptr().cast_mut());
        } else {
            libc::unsetenv(c"PATH".as_ptr());
        }
        libc::execvpe(arguments[0], arguments.as_ptr(), variables.as_ptr());
    }
    let error = io::Error::last_os_error();
    eprintln!("amplihack-sandbox: {}: {error}", words[0].to_string_lossy());
    if error.kind() == io::ErrorKind::NotFound { 127 } else { REFUSED }
}

fn strings(list: Vec<Vec<u8>>) -> std::result::Result<Vec<CString>, std::ffi::NulError> {
    list.into_iter().map(CString::new).collect()
}

fn environment(policy: &Policy) -> Vec<Vec<u8>> {
    let line = |name: &[u8], value: &[u8]| [name, b"=", value].concat();
    let set = &policy.environment.set;
    let kept = policy.environment.keep.iter().filter(|name| !set.contains_key(*name)).filter_map(|name| {
        std::env::var_os(name).map(|value| line(name.as_bytes(), value.as_bytes()))
    });
    kept.chain(set.iter().map(|(name, value)| line(name.as_bytes(), value.as_bytes()))).collect()
}

/// What is left to wait for.
#[derive(PartialEq, Eq)]
enum Left {
    Command,
    Others,
    Nothing,
}

struct First<'a> {
    policy: &'a Policy,
    /// `None` once the outside has ended, which it does when it was told of the command's end.
    channel: Option<OwnedFd>,
    command: Pid,
    /// A signal is for all that the command has started in it.
    has_own_session: bool,
    /// How the command ended.
    status: Option<i32>,
}

impl First<'_> {
    fn wait_for_all(mut self, special: Vec<PathBuf>) -> i32 {
        let (Ok(children), Ok(mut mounts)) = (watch_children(), Mounts::watch(self.policy, special)) else { return REFUSED };
        let mut was_told = false;
        loop {
            let left = self.reap();
            if left == Left::Nothing && was_told {
                return 0;
            }
            if left != Left::Command && !was_told {
                let goes_on = left == Left::Others && self.policy.leftovers == Leftovers::Keep;
                self.tell_end(goes_on);
                if !goes_on {
                    return 0;
                }
                was_told = true;
            }
            self.wait_and_obey(&children, &mounts);
            if mounts.have_ended() {
                self.tell(Message::Replaced);
                return REFUSED;
            }
        }
    }

    fn tell(&self, message: Message) {
        if let Some(channel) = &self.channel {
            let _ = send(channel, message);
        }
    }

    fn tell_end(&self, goes_on: bool) {
        if goes_on {
            let _ = set_parent_process_death_signal(None);
        } else if !self.policy.has(Layer::Namespaces) {
            end_descendants();
        }
        self.tell(Message::Ended { status: self.status.unwrap_or(REFUSED << 8), goes_on });
    }

    fn wait_and_obey(&mut self, children: &OwnedFd, mounts: &Mounts) {
        let channel = self.channel.as_ref().map(|channel| PollFd::new(channel, PollFlags::IN));
        let mounts = mounts.file.as_ref().map(|file| PollFd::new(file, PollFlags::PRI));
        let has_channel = channel.is_some();
        let mut watched: Vec<_> =
            channel.into_iter().chain([PollFd::new(children, PollFlags::IN)]).chain(mounts).collect();
        while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
        let has_message = has_channel && !watched[0].revents().is_empty();
        let mut noticed = [0_u8; 1024];
        let _ = rustix::io::read(children, &mut noticed);
        if has_message {
            self.obey();
        }
    }

    fn obey(&mut self) {
        let Some(channel) = &self.channel else { return };
        match receive(channel) {
            Ok(Some(Message::Signal(signal))) if self.status.is_none() => {
                let command = self.command.as_raw_nonzero().get();
                // Its own group is there once it has run on a little.
                let is_done = self.has_own_session && unsafe { libc::kill(-command, signal) } == 0;
                if !is_done {
                    unsafe { libc::kill(command, signal) };
                }
            }
            Ok(Some(_)) => {}
            _ if self.status.is_some() => self.channel = None,
            // The outside ended before the command, and so does everything.
            _ => unsafe { libc::_exit(REFUSED) },
        }
    }

    fn reap(&mut self) -> Left {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some((child, status))) if child == self.command => self.status = Some(status.as_raw()),
                Ok(Some(_)) | Err(rustix::io::Errno::INTR) => {}
                Ok(None) if self.status.is_none() => return Left::Command,
                Ok(None) => return Left::Others,
                Err(_) => return Left::Nothing,
            }
        }
    }
}

fn watch_children() -> io::Result<OwnedFd> {
    unsafe {
        let mut wanted: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut wanted);
        libc::sigaddset(&mut wanted, libc::SIGCHLD);
        libc::sigprocmask(libc::SIG_BLOCK, &wanted, std::ptr::null_mut());
        match libc::signalfd(-1, &wanted, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            file => Ok(OwnedFd::from_raw_fd(file)),
        }
    }
}

/// Without a pid namespace, whatever has lost its parent comes to this process, until there is none.
fn end_descendants() {
    let children = format!("/proc/self/task/{}/children", rustix::thread::gettid().as_raw_nonzero());
    loop {
        let found = std::fs::read_to_string(&children).unwrap_or_default();
        for pid in found.split_whitespace().filter_map(|pid| pid.parse().ok()).filter_map(Pid::from_raw) {
            let _ = kill_process(pid, Signal::KILL);
        }
        match wait(WaitOptions::empty()) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Nobody inside can take a mount away. Somebody outside can, by replacing the file that it lies over: then that file
/// is no longer protected. A hidden socket that its owner took away needs no protection.
struct Mounts {
    file: Option<std::fs::File>,
    special: Vec<PathBuf>,
    /// How many lie over a path.
    known: BTreeMap<PathBuf, usize>,
}

impl Mounts {
    fn watch(policy: &Policy, special: Vec<PathBuf>) -> io::Result<Mounts> {
        let has_view = policy.has(Layer::Namespaces);
        let file = has_view.then(|| std::fs::File::open("/proc/self/mountinfo")).transpose()?;
        let mut mounts = Mounts { file, special, known: BTreeMap::new() };
        mounts.have_ended();
        Ok(mounts)
    }

    fn have_ended(&mut self) -> bool {
        let Some(file) = &mut self.file else { return false };
        let mut text = Vec::new();
        if file.rewind().and_then(|()| file.read_to_end(&mut text)).is_err() {
            return true;
        }
        let mut now = BTreeMap::new();
        for place in text.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b' ').nth(4)) {
            *now.entry(PathBuf::from(OsString::from_vec(without_escapes(place)))).or_default() += 1;
        }
        let before = std::mem::replace(&mut self.known, now);
        // The kernel may still find by its name what has none any more.
        let has_name = |path: &PathBuf| path.symlink_metadata().is_ok_and(|found| found.nlink() > 0);
        let is_gone = |path: &PathBuf| self.special.contains(path) && !has_name(path);
        let has_fewer = |(path, count): &(PathBuf, usize)| self.known.get(path).unwrap_or(&0) < count;
        before.into_iter().filter(has_fewer).any(|(path, _)| !is_gone(&path))
    }
}

/// The kernel writes blanks and their like as a backslash and three digits.
fn without_escapes(text: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let digits = text.get(at + 1..at + 4).filter(|_| text[at] == b'\\');
        let code = digits.and_then(|digits| std::str::from_utf8(digits).ok()).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        plain.push(code.unwrap_or(text[at]));
        at += if code.is_some() { 4 } else { 1 };
    }
    plain
}
