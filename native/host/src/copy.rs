//! Copies of files, and what tells two contents apart.

use crate::{
    errno::{Answer, check, retry},
    files::{File, on_one},
    sha256::Sha256,
};
use alloc::{string::String, vec};

const CHUNK: usize = 64 * 1024;

/// A new file with the content of a regular one. What was half written is removed.
pub fn copy(from: &[u8], to: &[u8], mode: u32) -> Answer<()> {
    let source = File::open(from, libc::O_RDONLY | libc::O_NOFOLLOW | libc::O_NONBLOCK, 0)?;
    let facts = source.facts()?;
    if facts.st_mode & libc::S_IFMT != libc::S_IFREG {
        return Err(libc::EINVAL);
    }
    if clone_name(from, to)? {
        return finish(to, on_one(to, |name| unsafe { libc::chmod(name, mode as libc::mode_t) }));
    }
    let target = File::open(to, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL, mode)?;
    let is_large = facts.st_size as usize > CHUNK;
    let copied = if is_large && shares_blocks(&source, &target) {
        Ok(())
    } else if is_large && facts.st_blocks * 512 < facts.st_size {
        copy_data(&source, &target, facts.st_size)
    } else {
        copy_bytes(&source, &target, i64::MAX)
    };
    // The mode comes last, since writing takes the set-user-id bit away.
    // SAFETY: plain call on a descriptor of our own.
    finish(to, copied.and_then(|()| check(unsafe { libc::fchmod(target.0, mode as libc::mode_t) }).map(|_| ())))
}

/// Writes into the file where it is, so that all of its names have the content.
pub fn overwrite(from: &[u8], to: &[u8]) -> Answer<()> {
    let source = File::open(from, libc::O_RDONLY | libc::O_NOFOLLOW, 0)?;
    let target = File::open(to, libc::O_WRONLY | libc::O_NOFOLLOW, 0)?;
    copy_bytes(&source, &target, i64::MAX)?;
    // SAFETY: plain calls on a descriptor of our own.
    let end = retry(|| unsafe { libc::lseek(target.0, 0, libc::SEEK_CUR) } as isize)?;
    check(unsafe { libc::ftruncate(target.0, end as libc::off_t) }).map(|_| ())
}

fn finish(path: &[u8], copied: Answer<()>) -> Answer<()> {
    copied.inspect_err(|_| {
        let _ = on_one(path, |name| unsafe { libc::unlink(name) });
    })
}

/// Where a copy that shares its blocks is made by name, under a name that is free; false where it cannot be.
#[cfg(target_os = "macos")]
fn clone_name(from: &[u8], to: &[u8]) -> Answer<bool> {
    use crate::text::to_c;
    const CLONE_NOFOLLOW: u32 = 1;
    let (from, to) = (to_c(from)?, to_c(to)?);
    // SAFETY: both are whole C strings.
    match check(unsafe { libc::clonefile(from.as_ptr(), to.as_ptr(), CLONE_NOFOLLOW) }) {
        Ok(_) => Ok(true),
        Err(libc::ENOTSUP | libc::EXDEV) => Ok(false),
        Err(code) => Err(code),
    }
}

#[cfg(not(target_os = "macos"))]
fn clone_name(_: &[u8], _: &[u8]) -> Answer<bool> {
    Ok(false)
}

/// The file system lets both files have the same blocks until one of them is written.
#[cfg(target_os = "linux")]
fn shares_blocks(source: &File, target: &File) -> bool {
    const FICLONE: u32 = 0x4004_9409;
    // SAFETY: plain call on descriptors of our own.
    unsafe { libc::ioctl(target.0, FICLONE as _, source.0) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn shares_blocks(_: &File, _: &File) -> bool {
    false
}

/// Only what is not a hole.
fn copy_data(source: &File, target: &File, size: i64) -> Answer<()> {
    let mut at = 0;
    // SAFETY (of all calls here): plain calls on descriptors of our own.
    while at < size {
        let start = match retry(|| unsafe { libc::lseek(source.0, at, libc::SEEK_DATA) } as isize) {
            Ok(start) => start as i64,
            Err(libc::ENXIO) => break,
            Err(code) => return Err(code),
        };
        let end = retry(|| unsafe { libc::lseek(source.0, start, libc::SEEK_HOLE) } as isize)? as i64;
        retry(|| unsafe { libc::lseek(source.0, start, libc::SEEK_SET) } as isize)?;
        retry(|| unsafe { libc::lseek(target.0, start, libc::SEEK_SET) } as isize)?;
        copy_bytes(source, target, end - start)?;
        at = end;
    }
    check(unsafe { libc::ftruncate(target.0, size) }).map(|_| ())
}

fn copy_bytes(source: &File, target: &File, length: i64) -> Answer<()> {
    let mut chunk = vec![0; CHUNK];
    let mut rest = length;
    while rest > 0 {
        let room = (CHUNK as i64).min(rest) as usize;
        match source.read(&mut chunk[..room])? {
            0 => break,
            count => {
                target.write_all(&chunk[..count])?;
                rest -= count as i64;
            }
        }
    }
    Ok(())
}

/// SHA-256 of the content, in hexadecimal.
pub fn digest(path: &[u8]) -> Answer<String> {
    let file = File::open(path, libc::O_RDONLY | libc::O_NONBLOCK, 0)?;
    let mut chunk = vec![0; CHUNK];
    let mut hash = Sha256::new();
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(hash.finish()),
            count => hash.update(&chunk[..count]),
        }
    }
}
