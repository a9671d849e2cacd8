//! Time.

/// Milliseconds of the clock on the wall, since 1970.
pub fn now_ms() -> f64 {
    read(libc::CLOCK_REALTIME) as i64 as f64
}

/// Milliseconds of a clock that only goes forward.
pub fn monotonic_ms() -> f64 {
    read(libc::CLOCK_MONOTONIC)
}


fn read(clock: libc::clockid_t) -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call fills in the time.
    unsafe { libc::clock_gettime(clock, &mut time) };
    time.tv_sec as f64 * 1_000.0 + time.tv_nsec as f64 / 1_000_000.0
}

pub fn sleep_ms(milliseconds: f64) {
    let until = monotonic_ms() + milliseconds;
    loop {
        let left = until - monotonic_ms();
        if left <= 0.0 {
            return;
        }
        let time = libc::timespec {
            tv_sec: (left / 1_000.0) as libc::time_t,
            tv_nsec: ((left % 1_000.0) * 1_000_000.0) as libc::c_long,
        };
        // SAFETY: plain call; a signal ends it early, and then the rest is slept.
        unsafe { libc::nanosleep(&time, core::ptr::null_mut()) };
    }
}
