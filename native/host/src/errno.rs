//! Errors of the operating system: their numbers, and the names that the TypeScript side knows.

/// What a system call answers: its value, or the errno.
pub type Answer<T> = Result<T, i32>;

pub fn last() -> i32 {
    // SAFETY: the address is this thread's own errno.
    unsafe { *location() }
}

#[cfg(target_os = "linux")]
use libc::__errno_location as location;
#[cfg(not(target_os = "linux"))]
use libc::__error as location;

/// The value of a call that reports failure as a negative number.
pub fn check(result: libc::c_int) -> Answer<libc::c_int> {
    if result < 0 { Err(last()) } else { Ok(result) }
}

/// The length a read or write reports, asked for again as long as a signal comes between.
pub fn retry(mut call: impl FnMut() -> isize) -> Answer<usize> {
    loop {
        let count = call();
        if count >= 0 {
            return Ok(count as usize);
        }
        match last() {
            libc::EINTR => {}
            code => return Err(code),
        }
    }
}

pub fn name(code: i32) -> &'static str {
    match code {
        libc::EPERM => "EPERM",
        libc::ENOENT => "ENOENT",
        libc::ESRCH => "ESRCH",
        libc::EINTR => "EINTR",
        libc::EIO => "EIO",
        libc::ENXIO => "ENXIO",
        libc::E2BIG => "E2BIG",
        libc::ENOEXEC => "ENOEXEC",
        libc::EBADF => "EBADF",
        libc::EAGAIN => "EAGAIN",
        libc::ENOMEM => "ENOMEM",
        libc::EACCES => "EACCES",
        libc::EFAULT => "EFAULT",
        libc::EBUSY => "EBUSY",
        libc::EEXIST => "EEXIST",
        libc::EXDEV => "EXDEV",
        libc::ENODEV => "ENODEV",
        libc::ENOTDIR => "ENOTDIR",
        libc::EISDIR => "EISDIR",
        libc::EINVAL => "EINVAL",
        libc::ENFILE => "ENFILE",
        libc::EMFILE => "EMFILE",
        libc::ETXTBSY => "ETXTBSY",
        libc::EFBIG => "EFBIG",
        libc::ENOSPC => "ENOSPC",
        libc::EROFS => "EROFS",
        libc::EMLINK => "EMLINK",
        libc::EPIPE => "EPIPE",
        libc::ENAMETOOLONG => "ENAMETOOLONG",
        libc::ENOTEMPTY => "ENOTEMPTY",
        libc::ELOOP => "ELOOP",
        libc::EOPNOTSUPP => "EOPNOTSUPP",
        libc::EDQUOT => "EDQUOT",
        libc::ESTALE => "ESTALE",
        _ => "EUNKNOWN",
    }
}
