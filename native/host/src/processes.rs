//! Child processes: own group, pipes that never deadlock, hard limits. `ProcessRequest` in system.ts says what
//! is promised. A start blocks until the child is done; hooks run their children one after another.

use crate::{errno, interrupt, reply::{Bytes, bytes_of}};
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, TypedArray, function::Func};
use std::{
    collections::VecDeque,
    fs,
    io::{self, Read, Write},
    os::{fd::AsRawFd, unix::process::{CommandExt, ExitStatusExt}},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

const KILL_AFTER_MS: f64 = 1_000.0;
const PIPE_GRACE_MS: f64 = 250.0;
const POLL_MS: i32 = 10;
const CHUNK: usize = 64 * 1024;

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("processId", Func::from(std::process::id))?;
    host.set("hostName", Func::from(host_name))?;
    host.set(
        "startTime",
        Func::from(|pid: i32| start_time(pid)),
    )?;
    host.set("isAlive", Func::from(is_alive))?;
    host.set("start", Func::from(start))
}

fn host_name() -> String {
    let mut buffer = [0_u8; 256];
    // SAFETY: the buffer is valid for its length and stays zero-terminated.
    unsafe { libc::gethostname(buffer.as_mut_ptr().cast(), buffer.len() - 1) };
    let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(0);
    String::from_utf8_lossy(&buffer[..end]).into_owned()
}

/// The fields of `/proc/<pid>/stat` after the program name, which may itself hold blanks and brackets.
#[cfg(target_os = "linux")]
fn proc_fields(pid: i32) -> Option<Vec<String>> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let text = String::from_utf8_lossy(&stat).into_owned();
    let after = text.rfind(')')? + 2;
    Some(text.get(after..)?.split(' ').map(str::to_owned).collect())
}

#[cfg(target_os = "linux")]
fn start_time(pid: i32) -> Option<String> {
    proc_fields(pid)?.get(19).cloned()
}

#[cfg(not(target_os = "linux"))]
fn start_time(pid: i32) -> Option<String> {
    let output = Command::new("/bin/ps")
        .args(["-o", "lstart=", "-p", &pid.to_string()])
        .env_clear()
        .envs([("LC_ALL", "C"), ("TZ", "UTC")])
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!text.is_empty()).then_some(text)
}

fn is_alive(pid: i32) -> bool {
    if pid <= 0 {
        return false;
    }
    // SAFETY: signal 0 only asks.
    let answered = unsafe { libc::kill(pid, 0) } == 0;
    if !answered && io::Error::last_os_error().raw_os_error() != Some(libc::EPERM) {
        return false;
    }
    #[cfg(target_os = "linux")]
    if let Some(state) = proc_fields(pid).and_then(|fields| fields.first().cloned()) {
        return state != "Z" && state != "X";
    }
    true
}

/// What a child said, within its limits.
struct Output {
    head: Vec<u8>,
    head_room: usize,
    tail: VecDeque<u8>,
    tail_capacity: usize,
    errors: VecDeque<u8>,
    error_capacity: usize,
    discarded: u64,
    is_head_truncated: bool,
    are_errors_truncated: bool,
}

impl Output {
    fn push_stdout(&mut self, chunk: &[u8]) {
        let kept = chunk.len().min(self.head_room);
        self.head.extend_from_slice(&chunk[..kept]);
        self.head_room -= kept;
        if kept < chunk.len() {
            self.is_head_truncated = true;
            self.discarded += push_ring(&mut self.tail, self.tail_capacity, &chunk[kept..]);
        }
    }

    fn push_stderr(&mut self, chunk: &[u8]) {
        let lost = push_ring(&mut self.errors, self.error_capacity, chunk);
        self.are_errors_truncated |= lost > 0;
        self.discarded += lost;
    }
}

/// Keeps the last bytes; returns how many had to go.
fn push_ring(ring: &mut VecDeque<u8>, capacity: usize, chunk: &[u8]) -> u64 {
    ring.extend(chunk);
    let lost = ring.len().saturating_sub(capacity);
    ring.drain(..lost);
    lost as u64
}

enum End {
    Exit(i32),
    Signal(i32),
    NotStarted(&'static str),
    Timeout,
    Stopped,
    Overflow,
}

struct Limits {
    timeout: Duration,
    kill_after: Duration,
    pipe_grace: Duration,
    drain_bytes: u64,
}

fn milliseconds(value: f64) -> Duration {
    Duration::from_secs_f64((value / 1_000.0).clamp(0.0, 2_147_483.0))
}

fn start<'js>(ctx: Ctx<'js>, request: Object<'js>) -> Result<Object<'js>> {
    let began = Instant::now();
    let argv: Vec<String> = request.get("argv")?;
    let environment: Array<'js> = request.get("env")?;
    let input: TypedArray<'js, u8> = request.get("input")?;
    let limit = |name: &str| -> Result<f64> { request.get::<_, f64>(name) };
    let limits = Limits {
        timeout: milliseconds(limit("timeoutMs")?),
        kill_after: milliseconds(request.get::<_, Option<f64>>("killAfterMs")?.unwrap_or(KILL_AFTER_MS)),
        pipe_grace: milliseconds(request.get::<_, Option<f64>>("pipeGraceMs")?.unwrap_or(PIPE_GRACE_MS)),
        drain_bytes: limit("drainBytes")? as u64,
    };
    let mut output = Output {
        head: Vec::new(),
        head_room: limit("stdoutBytes")? as usize,
        tail: VecDeque::new(),
        tail_capacity: limit("tailBytes")? as usize,
        errors: VecDeque::new(),
        error_capacity: limit("stderrBytes")? as usize,
        discarded: 0,
        is_head_truncated: false,
        are_errors_truncated: false,
    };
    let watcher: Option<Function<'js>> = request.get("onOutput")?;
    let mut command = Command::new(&argv[0]);
    command.args(&argv[1..]).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.current_dir(request.get::<_, String>("cwd")?);
    for entry in environment.iter::<Array<'js>>() {
        let entry = entry?;
        command.env(entry.get::<String>(0)?, entry.get::<String>(1)?);
    }
    // SAFETY: setsid is async-signal-safe.
    unsafe {
        command.pre_exec(|| if libc::setsid() < 0 { Err(io::Error::last_os_error()) } else { Ok(()) });
    }
    let (end, killed, pipe_held) = match command.spawn() {
        Err(error) => (End::NotStarted(errno::name_of(&error)), false, false),
        Ok(child) => {
            let mut say = |name: &'static str, chunk: &[u8]| {
                if let Some(callback) = &watcher {
                    let _ = callback.call::<_, ()>((name, Bytes(chunk.to_vec())));
                }
            };
            supervise(child, bytes_of(&input), &mut output, &limits, &mut say)
        }
    };
    report(&ctx, &end, output, killed, pipe_held, began)
}

fn report<'js>(
    ctx: &Ctx<'js>,
    end: &End,
    output: Output,
    killed: bool,
    pipe_held: bool,
    began: Instant,
) -> Result<Object<'js>> {
    let result = Object::new(ctx.clone())?;
    let (kind, detail) = match end {
        End::Exit(code) => ("exit", code.into_js(ctx)?),
        End::Signal(number) => ("signal", signal_name(*number).into_js(ctx)?),
        End::NotStarted(code) => ("not-started", code.into_js(ctx)?),
        End::Timeout => ("timeout", ().into_js(ctx)?),
        End::Stopped => ("stopped", ().into_js(ctx)?),
        End::Overflow => ("overflow", ().into_js(ctx)?),
    };
    result.set("kind", kind)?;
    result.set("detail", detail)?;
    result.set("stdout", Bytes(output.head))?;
    result.set("stdoutTail", Bytes(output.tail.into()))?;
    result.set("stderr", Bytes(output.errors.into()))?;
    result.set("stdoutTruncated", output.is_head_truncated)?;
    result.set("stderrTruncated", output.are_errors_truncated)?;
    result.set("killed", killed)?;
    result.set("pipeHeld", pipe_held)?;
    result.set("durationMs", began.elapsed().as_secs_f64() * 1_000.0)?;
    Ok(result)
}

fn signal_group(leader: u32, signal: i32) {
    if leader > 1 {
        // SAFETY: the leader made its own group with setsid and was not reaped by anybody else.
        unsafe { libc::kill(-(leader as i32), signal) };
    }
}

fn set_nonblocking(descriptor: i32) {
    // SAFETY: plain fcntl on a descriptor we own.
    unsafe {
        let flags = libc::fcntl(descriptor, libc::F_GETFL);
        libc::fcntl(descriptor, libc::F_SETFL, flags | libc::O_NONBLOCK);
    }
}

fn supervise(
    mut child: Child,
    input: Vec<u8>,
    output: &mut Output,
    limits: &Limits,
    say: &mut dyn FnMut(&'static str, &[u8]),
) -> (End, bool, bool) {
    let began = Instant::now();
    let leader = child.id();
    let mut stdin = child.stdin.take().filter(|_| !input.is_empty());
    let mut stdout = child.stdout.take();
    let mut stderr = child.stderr.take();
    for descriptor in [
        stdin.as_ref().map(AsRawFd::as_raw_fd),
        stdout.as_ref().map(AsRawFd::as_raw_fd),
        stderr.as_ref().map(AsRawFd::as_raw_fd),
    ]
    .into_iter()
    .flatten()
    {
        set_nonblocking(descriptor);
    }
    let mut written = 0;
    let mut reason: Option<End> = None;
    let mut terminated_at: Option<Instant> = None;
    let mut exited: Option<(End, Instant)> = None;
    let mut killed = false;
    let mut chunk = vec![0; CHUNK];

    loop {
        let mut polled: Vec<libc::pollfd> = Vec::with_capacity(3);
        let mut watch = |descriptor: Option<i32>, events: i16| {
            if let Some(fd) = descriptor {
                polled.push(libc::pollfd { fd, events, revents: 0 });
            }
        };
        watch(stdin.as_ref().map(AsRawFd::as_raw_fd), libc::POLLOUT);
        watch(stdout.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN);
        watch(stderr.as_ref().map(AsRawFd::as_raw_fd), libc::POLLIN);
        // SAFETY: the array is valid for its length.
        unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, POLL_MS) };

        if let Some(pipe) = &mut stdin {
            match pipe.write(&input[written..]) {
                Ok(count) => {
                    written += count;
                    if written == input.len() {
                        stdin = None;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => stdin = None,
            }
        }
        let is_kept = reason.is_none();
        drain(&mut stdout, &mut chunk, &mut |bytes| {
            if is_kept {
                output.push_stdout(bytes);
            }
            say("stdout", bytes);
        });
        drain(&mut stderr, &mut chunk, &mut |bytes| {
            if is_kept {
                output.push_stderr(bytes);
            }
            say("stderr", bytes);
        });

        if exited.is_none()
            && let Ok(Some(status)) = child.try_wait()
        {
            let end = status.signal().map_or_else(|| End::Exit(status.code().unwrap_or(0)), End::Signal);
            exited = Some((end, Instant::now()));
            if reason.is_some() {
                signal_group(leader, libc::SIGKILL);
            }
        }
        if let Some((_, at)) = &exited {
            let are_pipes_closed = stdout.is_none() && stderr.is_none();
            if are_pipes_closed || at.elapsed() >= limits.pipe_grace {
                let end = exited.map_or(End::Stopped, |(end, _)| end);
                return (reason.unwrap_or(end), killed, !are_pipes_closed);
            }
            continue;
        }
        if reason.is_none() {
            let why = if output.discarded > limits.drain_bytes {
                Some(End::Overflow)
            } else if began.elapsed() >= limits.timeout {
                Some(End::Timeout)
            } else if interrupt::is_requested() {
                Some(End::Stopped)
            } else {
                None
            };
            if why.is_some() {
                reason = why;
                terminated_at = Some(Instant::now());
                signal_group(leader, libc::SIGTERM);
            }
        }
        if let Some(at) = terminated_at {
            if !killed && at.elapsed() >= limits.kill_after {
                killed = true;
                signal_group(leader, libc::SIGKILL);
            }
            if killed && at.elapsed() >= limits.kill_after + limits.pipe_grace {
                return (reason.unwrap_or(End::Stopped), killed, false);
            }
        }
    }
}

/// Reads what is there; a pipe at its end is closed.
fn drain<R: Read>(pipe: &mut Option<R>, chunk: &mut [u8], take: &mut dyn FnMut(&[u8])) {
    while let Some(reader) = pipe {
        match reader.read(chunk) {
            Ok(0) => *pipe = None,
            Ok(count) => {
                take(&chunk[..count]);
                return;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => *pipe = None,
        }
    }
}

fn signal_name(number: i32) -> String {
    let known = match number {
        libc::SIGHUP => "SIGHUP",
        libc::SIGINT => "SIGINT",
        libc::SIGQUIT => "SIGQUIT",
        libc::SIGILL => "SIGILL",
        libc::SIGTRAP => "SIGTRAP",
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGKILL => "SIGKILL",
        libc::SIGUSR1 => "SIGUSR1",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGUSR2 => "SIGUSR2",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGALRM => "SIGALRM",
        libc::SIGTERM => "SIGTERM",
        other => return format!("SIG{other}"),
    };
    known.to_owned()
}
