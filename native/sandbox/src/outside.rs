//! This program as it was started: makes the sandbox, hands signals on, and ends as the command does.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitOptions, getppid, set_parent_process_death_signal, waitpid};

use crate::aside::{Absent, keep_watch, take_notes};
use crate::channel::{Message, pair, receive, send};
use crate::failure::{Because, Part, Result, fail};
use crate::inside;
use crate::namespaces::{Side, flags, fork, map_ids};
use crate::network::await_connection;
use crate::policy::{Layer, Network, Policy};
use crate::refused::Errors;
use crate::reserve::Reservation;
use crate::streams::{has_terminal, list_inputs};

pub const REFUSED: i32 = 126;
/// Those that ask a command to do something. Signals from the keyboard reach a command at a terminal by themselves.
const HANDED_ON: [i32; 6] =
    [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT, libc::SIGUSR1, libc::SIGUSR2];
const MAX_SAID: usize = 64 * 1024;

pub fn run(home: &OwnedFd, id: &str, policy: &Policy, words: Vec<OsString>) -> Result<i32> {
    let directory = match &policy.directory {
        Some(directory) => directory.clone(),
        None => std::env::current_dir().because(Part::Files, "the working directory")?,
    };
    if let Some(starter) = policy.ends_with {
        set_parent_process_death_signal(Some(Signal::KILL)).because(Part::Privileges, "ending with its starter")?;
        if getppid().is_none_or(|parent| parent.as_raw_nonzero().get() != starter) {
            return fail(Part::Arguments, "the process that started it has ended");
        }
    }
    // Asked before a stream is replaced.
    let has_own_session = !has_terminal();
    let inputs = list_inputs();
    // Before there is anything that it would keep open.
    let mut errors = Errors::watch(policy, &directory);
    let mut reservation = Reservation::make(home, policy)?;
    let absent = Absent::list(policy);
    let part = Part::Namespaces;
    let (outside, inside) = pair().because(part, "a channel")?;
    let (life, living) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).because(part, "a pipe")?;
    let (signals, mask) = watch_signals().because(part, "signals")?;
    let has_own_network = policy.network != Network::On;
    let flags = if policy.has(Layer::Namespaces) { flags(has_own_network) } else { 0 };
    let child = match fork(flags) {
        Ok(Side::Parent(child)) => child,
        Ok(Side::Child) => {
            drop((outside, life, signals));
            if let Some(errors) = errors {
                errors.take_over();
            }
            inside::run(policy, inside, inside::Start { words, directory, mask, inputs, has_own_session })
        }
        Err(error) => {
            release(&mut reservation);
            return Err(error).because(part, "making them");
        }
    };
    drop((inside, living));
    if let Some(errors) = &mut errors {
        errors.let_go();
    }
    let begun = match flags {
        0 => Ok(()),
        _ => map_ids(child),
    };
    if let Err(failure) = begun {
        // Its side of the channel ends, so it does too.
        drop(outside);
        let _ = waitpid(Some(child), WaitOptions::empty());
        release(&mut reservation);
        return Err(failure);
    }
    let _ = send(&outside, Message::Begin);
    let mut watch =
        Watch { policy, has_own_session, outside, signals, child, listeners: Vec::new(), life: Some(life), said: None, text: Vec::new() };
    let end = watch.until_end();
    if !end.goes_on {
        release(&mut reservation);
    }
    let said = absent.set_aside(home, id);
    let refused = errors.map(Errors::tell);
    let _ = io::stderr().write_all(said.as_bytes());
    watch.tell();
    let _ = io::stderr().write_all(&refused.unwrap_or_default());
    let _ = io::stderr().write_all(take_notes(home).as_bytes());
    if end.goes_on && (!absent.is_empty() || reservation.is_some()) {
        stay_behind(|| {
            keep_watch(home, id, &absent, &watch.outside);
            release(&mut reservation);
        });
    }
    Ok(end.code)
}

/// In a process of its own, which holds nothing that somebody waits for.
fn stay_behind(work: impl FnOnce()) {
    if let Ok(Side::Child) = fork(0) {
        let _ = rustix::process::setsid();
        unsafe {
            let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            for stream in 0..=2 {
                libc::dup2(nothing, stream);
            }
        }
        work();
        unsafe { libc::_exit(0) }
    }
}

fn release(reservation: &mut Option<Reservation>) {
    if let Some(reservation) = reservation {
        reservation.release();
    }
}

fn watch_signals() -> io::Result<(OwnedFd, libc::sigset_t)> {
    unsafe {
        let mut wanted: libc::sigset_t = std::mem::zeroed();
        let mut before: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&mut wanted);
        for signal in HANDED_ON {
            libc::sigaddset(&mut wanted, signal);
        }
        libc::sigprocmask(libc::SIG_BLOCK, &wanted, &mut before);
        match libc::signalfd(-1, &wanted, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) {
            -1 => Err(io::Error::last_os_error()),
            file => Ok((OwnedFd::from_raw_fd(file), before)),
        }
    }
}

struct End {
    code: i32,
    goes_on: bool,
}

struct Watch<'a> {
    policy: &'a Policy,
    has_own_session: bool,
    outside: OwnedFd,
    signals: OwnedFd,
    child: Pid,
    listeners: Vec<OwnedFd>,
    life: Option<OwnedFd>,
    said: Option<OwnedFd>,
    text: Vec<u8>,
}

impl Watch<'_> {
    fn until_end(&mut self) -> End {
        loop {
            let [has_message, has_signal, has_text] = self.wait();
            if has_signal {
                self.hand_on();
            }
            if has_text {
                self.listen();
            }
            if !has_message {
                continue;
            }
            match receive(&self.outside) {
                Ok(Some(Message::Listener(listener))) => self.start_proxy(listener),
                Ok(Some(Message::Ended { status, goes_on: true })) => return End { code: code_of(status), goes_on: true },
                Ok(Some(Message::Ended { status, .. })) => {
                    self.reap();
                    return End { code: code_of(status), goes_on: false };
                }
                Ok(Some(Message::Failed)) => {
                    self.reap();
                    return End { code: REFUSED, goes_on: false };
                }
                Ok(Some(Message::Replaced)) => {
                    self.reap();
                    eprintln!(
                        "amplihack-sandbox: stopped the command: a file that it may not change was replaced outside, \
                         which ended its protection. Run it again."
                    );
                    return End { code: REFUSED, goes_on: false };
                }
                Ok(Some(_)) => {}
                // The first process was killed, and all others with it.
                _ => return End { code: self.reap(), goes_on: false },
            }
        }
    }

    fn wait(&self) -> [bool; 3] {
        let said = self.said.as_ref().unwrap_or(&self.outside);
        let mut watched = [&self.outside, &self.signals, said].map(|file| PollFd::new(file, PollFlags::IN));
        while poll(&mut watched, None) == Err(rustix::io::Errno::INTR) {}
        let [message, signal, text] = watched.each_ref().map(|one| !one.revents().is_empty());
        [message, signal, text && self.said.is_some()]
    }

    fn hand_on(&self) {
        let mut signal: libc::signalfd_siginfo = unsafe { std::mem::zeroed() };
        let size = size_of::<libc::signalfd_siginfo>();
        let file = self.signals.as_raw_fd();
        while unsafe { libc::read(file, (&raw mut signal).cast(), size) } == size as isize {
            if signal.ssi_code != libc::SI_KERNEL || self.has_own_session {
                let _ = send(&self.outside, Message::Signal(signal.ssi_signo as i32));
            }
        }
    }

    fn start_proxy(&mut self, listener: OwnedFd) {
        self.listeners.push(listener);
        let Some(proxy) = &self.policy.proxy else { return };
        if self.listeners.len() <= proxy.ports.len() {
            return;
        }
        let Some(life) = self.life.take() else { return };
        match await_connection(proxy, std::mem::take(&mut self.listeners), life) {
            Ok(said) => self.said = Some(said),
            Err(error) => eprintln!("amplihack-sandbox: no proxy, so no network: {error}"),
        }
    }

    fn listen(&mut self) {
        let Some(said) = &self.said else { return };
        let mut bytes = [0_u8; 4096];
        match rustix::io::read(said.as_fd(), &mut bytes) {
            Ok(0) | Err(_) => self.said = None,
            Ok(length) => {
                let room = MAX_SAID.saturating_sub(self.text.len());
                self.text.extend_from_slice(&bytes[..length.min(room)]);
            }
        }
    }

    fn reap(&self) -> i32 {
        match waitpid(Some(self.child), WaitOptions::empty()) {
            Ok(Some((_, status))) => code_of(status.as_raw()),
            _ => REFUSED,
        }
    }

    /// What the proxy refused, in its own words, after everything that the command printed.
    fn tell(&mut self) {
        if let Some(said) = self.said.take() {
            let _ = rustix::io::ioctl_fionbio(&said, true);
            let _ = std::fs::File::from(said).take(MAX_SAID as u64).read_to_end(&mut self.text);
        }
        let _ = io::stderr().write_all(&self.text);
    }
}

pub fn code_of(status: i32) -> i32 {
    if libc::WIFSIGNALED(status) { 128 + libc::WTERMSIG(status) } else { libc::WEXITSTATUS(status) }
}
