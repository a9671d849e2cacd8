//! The three streams that the command is given.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::path::PathBuf;

use rustix::fs::{Mode, OFlags, SeekFrom, fcntl_getfl, fstat, open, seek};

pub fn has_terminal() -> bool {
    (0..=2).any(|stream| unsafe { libc::isatty(stream) } == 1)
}

/// Files that were opened for reading, with their paths.
pub fn list_inputs() -> Vec<(i32, PathBuf)> {
    let path_of = |stream: i32| {
        let file = unsafe { BorrowedFd::borrow_raw(stream) };
        let is_file = fstat(file).is_ok_and(|found| found.st_mode & libc::S_IFMT == libc::S_IFREG);
        let is_read = fcntl_getfl(file).is_ok_and(|flags| flags & OFlags::ACCMODE == OFlags::RDONLY);
        let path = std::fs::read_link(format!("/proc/self/fd/{stream}")).ok()?;
        (is_file && is_read).then_some((stream, path))
    };
    (0..=2).filter_map(path_of).collect()
}

/// A file that was opened outside leads to the file system outside, where `/proc/self/fd` opens it anew for writing.
/// What has no name inside stays as it is.
pub fn open_again(inputs: &[(i32, PathBuf)]) -> io::Result<()> {
    for (stream, path) in inputs {
        let before = unsafe { BorrowedFd::borrow_raw(*stream) };
        let Ok(file) = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty()) else { continue };
        let (was, is) = (fstat(before)?, fstat(&file)?);
        if was.st_dev != is.st_dev || was.st_ino != is.st_ino {
            continue;
        }
        seek(&file, SeekFrom::Start(seek(before, SeekFrom::Current(0))?))?;
        if unsafe { libc::dup2(file.as_raw_fd(), *stream) } < 0 {
            return Err(io::Error::last_os_error());
        }
    }
    Ok(())
}
