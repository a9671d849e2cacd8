//! What may end a run early: SIGTERM, the deadline, and a crash of the engine itself (`crash.rs`).

use crate::{clock, crash};
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

static TERMINATED: AtomicBool = AtomicBool::new(false);
static DEADLINE_MS: AtomicU64 = AtomicU64::new(u64::MAX);
/// Once the run is abandoned its last words must not be interrupted too.
static ABANDONED: AtomicBool = AtomicBool::new(false);

/// The engine looks at the deadline now and then; a second, harder one is for what keeps it from looking.
pub fn set_deadline(milliseconds: f64) {
    DEADLINE_MS.store(milliseconds.max(0.0) as u64, Relaxed);
    set_alarm(milliseconds.max(0.0) + PATIENCE_MS);
}

/// An earlier deadline for a part of the run; returns the one that holds again behind it.
pub fn tighten_deadline(milliseconds: f64) -> u64 {
    let outer = DEADLINE_MS.load(Relaxed);
    DEADLINE_MS.store(outer.min((elapsed_ms() + milliseconds.max(0.0)) as u64), Relaxed);
    outer
}

pub fn restore_deadline(outer: u64) {
    DEADLINE_MS.store(outer, Relaxed);
}

const PATIENCE_MS: f64 = 400.0;

fn set_alarm(milliseconds: f64) {
    let time = libc::timeval {
        tv_sec: (milliseconds / 1_000.0) as libc::time_t,
        tv_usec: ((milliseconds % 1_000.0) * 1_000.0) as libc::suseconds_t,
    };
    let once = libc::itimerval { it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 }, it_value: time };
    // SAFETY: plain call.
    unsafe { libc::setitimer(libc::ITIMER_REAL, &once, core::ptr::null_mut()) };
}

pub fn clear_alarm() {
    set_alarm(0.0);
}

pub fn is_terminated() -> bool {
    TERMINATED.load(Relaxed)
}

pub fn is_requested() -> bool {
    !ABANDONED.load(Relaxed) && (is_terminated() || elapsed_ms() >= DEADLINE_MS.load(Relaxed) as f64)
}

pub fn abandon() {
    ABANDONED.store(true, Relaxed);
}

/// Since the run began.
pub fn elapsed_ms() -> f64 {
    clock::monotonic_ms() - f64::from_bits(START.load(Relaxed))
}

pub fn begin_run() {
    START.store(clock::monotonic_ms().to_bits(), Relaxed);
}

static START: AtomicU64 = AtomicU64::new(0);

/// A read that was just about to block is not interrupted; without its descriptor it does not begin.
extern "C" fn on_terminate(_: libc::c_int) {
    if TERMINATED.swap(true, Relaxed) {
        return;
    }
    // SAFETY: async-signal-safe; until now nothing but `read_input` used the descriptor.
    unsafe { libc::close(0) };
    // The engine looks at this now and then; what keeps it from looking, such as one long search for a pattern, has
    // little time left.
    set_alarm(PATIENCE_MS);
}

/// On Linux a fault may be the first touch of memory that is loaded on demand.
extern "C" fn on_fault(_: libc::c_int, facts: *mut libc::siginfo_t, _: *mut libc::c_void) {
    #[cfg(target_os = "linux")]
    {
        // SAFETY: the kernel fills in the address.
        let address = unsafe { (*facts).si_addr() } as usize;
        if crate::image::load_cold(address) || crate::image_writer::count_touch(address) {
            return;
        }
    }
    let _ = facts;
    crash::answer();
}

extern "C" fn on_crash(_: libc::c_int) {
    crash::answer();
}

const CRASH_STACK_BYTES: usize = 64 * 1024;
static mut CRASH_STACK: [u8; CRASH_STACK_BYTES] = [0; CRASH_STACK_BYTES];

pub fn install() {
    begin_run();
    // SAFETY: the handlers only touch atomics and memory that nothing else uses, or call async-signal-safe
    // functions.
    unsafe {
        let stack = (&raw mut CRASH_STACK).cast();
        let alternate = libc::stack_t { ss_sp: stack, ss_flags: 0, ss_size: CRASH_STACK_BYTES };
        libc::sigaltstack(&alternate, core::ptr::null_mut());
        handle(libc::SIGSEGV, on_fault as *const () as usize, libc::SA_ONSTACK | libc::SA_SIGINFO | libc::SA_NODEFER);
        for signal in [libc::SIGBUS, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGALRM] {
            handle(signal, on_crash as *const () as usize, libc::SA_ONSTACK | libc::SA_RESETHAND);
        }
        // Without SA_RESTART a blocked read or wait returns, and the run can be abandoned.
        handle(libc::SIGTERM, on_terminate as *const () as usize, 0);
        libc::signal(libc::SIGPIPE, libc::SIG_IGN);
        // A limit on the size of files must not end a run before its answer: writes fail and are told.
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

unsafe fn handle(signal: libc::c_int, handler: usize, flags: libc::c_int) {
    // SAFETY: `action` is fully initialised; the handler has the signature the kernel expects.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        libc::sigemptyset(&mut action.sa_mask);
        libc::sigaction(signal, &action, core::ptr::null_mut());
    }
}
