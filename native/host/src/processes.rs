//! Child processes: own group, pipes that never deadlock, hard limits. `ProcessRequest` in system.ts says what
//! is promised. A start blocks until the child is done; hooks run their children one after another.

use crate::{
    child::{Child, Program, Status},
    clock, errno,
    files::File,
    interrupt,
    reply::{Bytes, bytes_of},
    text::Text,
};
use alloc::{collections::VecDeque, string::String, vec, vec::Vec};
use rquickjs::{Array, Ctx, Function, IntoJs, Object, Result, TypedArray, function::Func};

const KILL_AFTER_MS: f64 = 1_000.0;
const PIPE_GRACE_MS: f64 = 250.0;
const POLL_MS: i32 = 10;
/// A child that has closed its pipes is nearly over: it is looked for soon, and then less often.
const CLOSED_US: u32 = 50;
const CHUNK: usize = 64 * 1024;

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    // SAFETY: the call only answers.
    host.set("processId", Func::from(|| unsafe { libc::getpid() }))?;
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
    let stat = crate::files::read_whole(alloc::format!("/proc/{pid}/stat").as_bytes(), 65_536).ok()?;
    let text = String::from_utf8_lossy(&stat).into_owned();
    let after = text.rfind(')')? + 2;
    Some(text.get(after..)?.split(' ').map(String::from).collect())
}

#[cfg(target_os = "linux")]
fn start_time(pid: i32) -> Option<String> {
    proc_fields(pid)?.get(19).cloned()
}

#[cfg(not(target_os = "linux"))]
fn start_time(pid: i32) -> Option<String> {
    let argv = ["/bin/ps", "-o", "lstart=", "-p", &alloc::format!("{pid}")].map(String::from);
    let env = ["LC_ALL=C", "TZ=UTC"].map(String::from);
    let program = Program { argv: &argv, env: &env, cwd: "/" };
    let limits = Limits { timeout_ms: 2_000.0, kill_after_ms: 100.0, pipe_grace_ms: 100.0, drain_bytes: 0 };
    let mut output = Output::new(4_096, 0, 0);
    supervise(program.start().ok()?, &[], &mut output, &limits, &mut |_, _| ());
    let text = String::from_utf8_lossy(&output.head).trim().into();
    Some(text).filter(|text: &String| !text.is_empty())
}

fn is_alive(pid: i32) -> bool {
    if pid <= 0 {
        return false;
    }
    // SAFETY: signal 0 only asks.
    let answered = unsafe { libc::kill(pid, 0) } == 0;
    if !answered && errno::last() != libc::EPERM {
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
    keeps_first_errors: bool,
    discarded: u64,
    is_head_truncated: bool,
    are_errors_truncated: bool,
}

impl Output {
    fn new(head_room: usize, tail_capacity: usize, error_capacity: usize) -> Output {
        Output {
            head: Vec::new(),
            head_room,
            tail: VecDeque::new(),
            tail_capacity,
            errors: VecDeque::new(),
            error_capacity,
            keeps_first_errors: false,
            discarded: 0,
            is_head_truncated: false,
            are_errors_truncated: false,
        }
    }

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
        let lost = if self.keeps_first_errors {
            let kept = chunk.len().min(self.error_capacity - self.errors.len());
            self.errors.extend(&chunk[..kept]);
            (chunk.len() - kept) as u64
        } else {
            push_ring(&mut self.errors, self.error_capacity, chunk)
        };
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
    timeout_ms: f64,
    kill_after_ms: f64,
    pipe_grace_ms: f64,
    drain_bytes: u64,
}

fn start<'js>(ctx: Ctx<'js>, request: Object<'js>) -> Result<Object<'js>> {
    let began = clock::monotonic_ms();
    let argv = request.get::<_, Vec<Text>>("argv")?.into_iter().map(|word| word.0).collect::<Vec<String>>();
    let environment: Array<'js> = request.get("env")?;
    let input: TypedArray<'js, u8> = request.get("input")?;
    let cwd: Text = request.get("cwd")?;
    let limit = |name: &str| -> Result<f64> { request.get::<_, f64>(name) };
    let limits = Limits {
        timeout_ms: limit("timeoutMs")?,
        kill_after_ms: request.get::<_, Option<f64>>("killAfterMs")?.unwrap_or(KILL_AFTER_MS),
        pipe_grace_ms: request.get::<_, Option<f64>>("pipeGraceMs")?.unwrap_or(PIPE_GRACE_MS),
        drain_bytes: limit("drainBytes")? as u64,
    };
    let mut output = Output::new(
        limit("stdoutBytes")? as usize,
        limit("tailBytes")? as usize,
        limit("stderrBytes")? as usize,
    );
    output.keeps_first_errors = request.get::<_, Option<bool>>("keepsFirstErrors")?.unwrap_or(false);
    let watcher: Option<Function<'js>> = request.get("onOutput")?;
    let mut env = Vec::new();
    for entry in environment.iter::<Array<'js>>() {
        let entry = entry?;
        env.push(entry.get::<Text>(0)?.0 + "=" + &entry.get::<Text>(1)?);
    }
    let (end, killed, pipe_held) = match (Program { argv: &argv, env: &env, cwd: &cwd }).start() {
        Err(code) => (End::NotStarted(errno::name(code)), false, false),
        Ok(child) => {
            let mut say = |name: &'static str, chunk: &[u8]| {
                if let Some(callback) = &watcher {
                    let _ = callback.call::<_, ()>((name, Bytes(chunk.to_vec())));
                }
            };
            supervise(child, &bytes_of(&input), &mut output, &limits, &mut say)
        }
    };
    report(&ctx, &end, output, killed, pipe_held, clock::monotonic_ms() - began)
}

fn report<'js>(
    ctx: &Ctx<'js>,
    end: &End,
    output: Output,
    killed: bool,
    pipe_held: bool,
    duration_ms: f64,
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
    result.set("durationMs", duration_ms)?;
    Ok(result)
}

fn supervise(
    mut child: Child,
    input: &[u8],
    output: &mut Output,
    limits: &Limits,
    say: &mut dyn FnMut(&'static str, &[u8]),
) -> (End, bool, bool) {
    let began = clock::monotonic_ms();
    let since = |moment: f64| clock::monotonic_ms() - moment;
    let mut stdin = child.stdin.take().filter(|_| !input.is_empty());
    let mut stdout = child.stdout.take();
    let mut stderr = child.stderr.take();
    let mut written = 0;
    let mut reason: Option<End> = None;
    let mut terminated_at: Option<f64> = None;
    let mut exited: Option<(End, f64)> = None;
    let mut killed = false;
    let mut chunk = vec![0; CHUNK];
    let mut pause_us = CLOSED_US;

    loop {
        let mut polled: Vec<libc::pollfd> = Vec::with_capacity(3);
        let mut watch = |pipe: &Option<File>, events: i16| {
            if let Some(file) = pipe {
                polled.push(libc::pollfd { fd: file.0, events, revents: 0 });
            }
        };
        watch(&stdin, libc::POLLOUT);
        watch(&stdout, libc::POLLIN);
        watch(&stderr, libc::POLLIN);
        if polled.is_empty() {
            // SAFETY: the call only waits.
            unsafe { libc::usleep(pause_us) };
            pause_us = (pause_us * 2).min(POLL_MS as u32 * 1_000);
        } else {
            // SAFETY: the array is valid for its length.
            unsafe { libc::poll(polled.as_mut_ptr(), polled.len() as libc::nfds_t, POLL_MS) };
        }

        if let Some(pipe) = &stdin {
            // SAFETY: the rest of the input is valid for reads of its length.
            match errno::retry(|| unsafe { libc::write(pipe.0, input[written..].as_ptr().cast(), input.len() - written) }) {
                Ok(count) => {
                    written += count;
                    if written == input.len() {
                        stdin = None;
                    }
                }
                Err(libc::EAGAIN) => {}
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
            && let Some(status) = child.look()
        {
            let end = match status {
                Status::Exit(code) => End::Exit(code),
                Status::Signal(number) => End::Signal(number),
            };
            exited = Some((end, clock::monotonic_ms()));
            if reason.is_some() {
                child.signal_group(libc::SIGKILL);
            }
        }
        if let Some((_, at)) = &exited {
            let are_pipes_closed = stdout.is_none() && stderr.is_none();
            if are_pipes_closed || since(*at) >= limits.pipe_grace_ms {
                let end = exited.map_or(End::Stopped, |(end, _)| end);
                return (reason.unwrap_or(end), killed, !are_pipes_closed);
            }
            continue;
        }
        if reason.is_none() {
            let why = if output.discarded > limits.drain_bytes {
                Some(End::Overflow)
            } else if since(began) >= limits.timeout_ms {
                Some(End::Timeout)
            } else if interrupt::is_requested() {
                Some(End::Stopped)
            } else {
                None
            };
            if why.is_some() {
                reason = why;
                terminated_at = Some(clock::monotonic_ms());
                child.signal_group(libc::SIGTERM);
            }
        }
        if let Some(at) = terminated_at {
            if !killed && since(at) >= limits.kill_after_ms {
                killed = true;
                child.signal_group(libc::SIGKILL);
            }
            if killed && since(at) >= limits.kill_after_ms + limits.pipe_grace_ms {
                return (reason.unwrap_or(End::Stopped), killed, false);
            }
        }
    }
}

/// Reads what is there; a pipe at its end is closed.
fn drain(pipe: &mut Option<File>, chunk: &mut [u8], take: &mut dyn FnMut(&[u8])) {
    let Some(file) = pipe else { return };
    match file.read(chunk) {
        Ok(0) => *pipe = None,
        Ok(count) => take(&chunk[..count]),
        Err(libc::EAGAIN) => {}
        Err(_) => *pipe = None,
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
        other => return alloc::format!("SIG{other}"),
    };
    known.into()
}
