//! What is left to do when the engine has crashed, or is deaf to its deadline. While hooks of users run, the answer
//! without them is at hand, and is given. At any other time the program starts again, without running the hook: it only
//! reads who called and what the failure policy is, and answers by that. Should that crash too, the last words are
//! constants.

use crate::{interrupt, modules, outside, stdio};
use alloc::vec::Vec;
use core::{
    ffi::{CStr, c_char},
    ptr,
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Tells the second start from the first. Not a variable of the environment: a project may set those.
pub const AFTER_CRASH: &CStr = c"--after-crash";
const WORDS: usize = 16;
/// What fits into a pipe that nobody reads yet.
const LARGEST_INPUT: usize = 60_000;

static mut ARGV: [*const c_char; WORDS] = [ptr::null(); WORDS];
static mut INPUT: Vec<u8> = Vec::new();
static mut KEPT: Option<KeptAnswer> = None;

struct KeptAnswer {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    code: i32,
}

/// Where macOS found the executable; Linux knows a name for it.
#[cfg(not(target_os = "linux"))]
static mut EXECUTABLE: [u8; 1_024] = [0; 1_024];
#[cfg(not(target_os = "linux"))]
unsafe extern "C" {
    fn _NSGetExecutablePath(path: *mut c_char, length: *mut u32) -> libc::c_int;
}
static IS_SECOND: AtomicBool = AtomicBool::new(false);
static HAS_ANSWERED: AtomicBool = AtomicBool::new(false);
static IS_CLOSED: AtomicBool = AtomicBool::new(false);
/// `guard-argv` says "failed" with its exit code, to a caller that reads nothing else.
static IS_ARGV: AtomicBool = AtomicBool::new(false);

/// Keeps what a second start needs. A command line too long for it has constants as last words at once.
///
/// # Safety
/// `words` holds `count` C strings that live as long as the process.
pub unsafe fn prepare(count: usize, words: *const *const c_char) {
    // SAFETY: one thread; as the caller promised.
    unsafe {
        let is_second = count > 0 && CStr::from_ptr(*words.add(count - 1)) == AFTER_CRASH;
        IS_SECOND.store(is_second || count + 2 > WORDS, Relaxed);
        if !IS_SECOND.load(Relaxed) {
            for at in 0..count {
                ARGV[at] = *words.add(at);
            }
            ARGV[count] = AFTER_CRASH.as_ptr();
        }
        #[cfg(not(target_os = "linux"))]
        {
            let mut length = 1_024;
            _NSGetExecutablePath((&raw mut EXECUTABLE).cast(), &mut length);
        }
    }
}

/// The payload, once it was read whole; of a large one the beginning, which shows that there was one.
pub fn keep_input(bytes: &[u8]) {
    // SAFETY: one thread, and no handler runs a second one.
    unsafe { INPUT = bytes[..bytes.len().min(LARGEST_INPUT)].to_vec() };
}

/// The answer for a crash from here on, in the place of one that was kept before.
pub fn keep_answer(stdout: &[u8], stderr: &[u8], code: i32) {
    let kept = KeptAnswer { stdout: stdout.to_vec(), stderr: stderr.to_vec(), code };
    // A handler of signals that comes meanwhile finds none, never half of one.
    // SAFETY: one thread.
    unsafe {
        KEPT = None;
        KEPT = Some(kept);
    }
}

/// From here on a second answer would be one too many.
pub fn note_answer() {
    HAS_ANSWERED.store(true, Relaxed);
}

/// The policy for the constants: by the environment alone, since configuration files are read by the engine.
pub fn prepare_last_words(entry: &str) {
    let policy = outside::get_environment("AMPLIHACK_FAILURE_POLICY").unwrap_or_default();
    let is_closed = policy.split(',').map(str::trim).any(|one| one == "closed" || one == "pre-tool-use=closed");
    IS_CLOSED.store(entry == "pre-tool-use" && is_closed, Relaxed);
    IS_ARGV.store(entry == modules::ARGV_ENTRY, Relaxed);
}

/// Callable from a handler of signals: nothing is allocated.
pub fn answer() -> ! {
    if !HAS_ANSWERED.load(Relaxed) {
        // SAFETY: one thread; what was kept lives as long as the process.
        if let Some(kept) = unsafe { (*(&raw const KEPT)).as_ref() } {
            give(kept);
        }
    }
    if !IS_SECOND.load(Relaxed) && !HAS_ANSWERED.load(Relaxed) && !IS_ARGV.load(Relaxed) {
        // SAFETY: all of it is safe in a handler of signals.
        unsafe { start_again() };
    }
    last_words()
}

fn give(kept: &KeptAnswer) -> ! {
    note_answer();
    stdio::write_all(1, &kept.stdout);
    stdio::write_all(2, &kept.stderr);
    stdio::write_all(2, TELEMETRY);
    // SAFETY: safe in a handler of signals.
    unsafe { libc::_exit(kept.code) }
}

unsafe fn start_again() {
    // SAFETY: plain calls on descriptors of our own; what `prepare` kept lives as long as the process.
    unsafe {
        interrupt::clear_alarm();
        let mut none = core::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        let input = &raw const INPUT;
        let mut ends = [0; 2];
        if libc::pipe(ends.as_mut_ptr()) == 0 {
            libc::write(ends[1], (*input).as_ptr().cast(), (*input).len());
            libc::close(ends[1]);
            if ends[0] != 0 {
                libc::dup2(ends[0], 0);
                libc::close(ends[0]);
            }
        }
        #[cfg(target_os = "linux")]
        let executable = c"/proc/self/exe".as_ptr();
        #[cfg(not(target_os = "linux"))]
        let executable = (&raw const EXECUTABLE).cast();
        libc::execv(executable, (&raw const ARGV).cast());
    }
}

/// The answer every caller takes for silence.
const SILENCE: &[u8] = b"{}\n";
const REASON: &[u8] = b"could not check this: the engine crashed, and the failure policy is closed\n";
const ARGV_REASON: &[u8] = b"amplihack-hooks: could not check this: the guard failed (crash)\n";
const TELEMETRY: &[u8] =
    b"{\"hook\":\"unknown\",\"duration_us\":0,\"result\":\"panic\",\"error\":\"the engine crashed\"}\n";

pub fn last_words() -> ! {
    let is_closed = IS_CLOSED.load(Relaxed);
    // SAFETY: write and _exit are safe in a handler of signals; the constants live for ever.
    unsafe {
        let say = |descriptor, text: &[u8]| libc::write(descriptor, text.as_ptr().cast(), text.len());
        if IS_ARGV.load(Relaxed) {
            say(2, ARGV_REASON);
            libc::_exit(1);
        }
        if !HAS_ANSWERED.load(Relaxed) {
            if is_closed { say(2, REASON) } else { say(1, SILENCE) };
        }
        say(2, TELEMETRY);
        libc::_exit(if is_closed && !HAS_ANSWERED.load(Relaxed) { 2 } else { 0 })
    }
}
