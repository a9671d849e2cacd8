//! The file primitives of `System.files`.

use crate::{
    clock, copy,
    errno::{Answer, check, last, retry},
    facts::look,
    reply::{Bytes, Reply, bytes_of},
    text::{Name, Text, from_c, name_from_c, to_c},
};
use alloc::{string::String, vec, vec::Vec};
use core::{ffi::CStr, mem::MaybeUninit};
use rquickjs::{Object, Result, TypedArray, function::Func};

const PIPE_PATIENCE_MS: f64 = 2_000.0;
const PIPE_RETRY_MS: f64 = 5.0;
const CHUNK: usize = 64 * 1024;

// Functions of one type share the code that reads their arguments; each closure would have its own.
type OnName = fn(Name) -> Reply<()>;
type OnTwoNames = fn(Name, Name) -> Reply<()>;
type WithMode = fn(Name, u32) -> Reply<()>;
type WithBytes = for<'a> fn(Name, TypedArray<'a, u8>, u32) -> Reply<()>;
type ToNames = fn(Name) -> Reply<Vec<Name>>;

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("read", Func::from(|path: Name, limit: f64| Reply(read_whole(&path, limit as usize).map(Bytes))))?;
    host.set(
        "readRange",
        Func::from(|path: Name, offset: f64, length: f64| {
            Reply(read_range(&path, offset as i64, length as usize).map(Bytes))
        }),
    )?;
    host.set("copy", Func::from(|from: Name, to: Name, mode: u32| Reply(copy::copy(&from, &to, mode))))?;
    let with_bytes: [(&str, WithBytes); 2] = [
        ("createExclusive", |path, bytes, mode| Reply(create_exclusive(&path, &bytes_of(&bytes), mode))),
        ("append", |path, bytes, mode| Reply(append(&path, &bytes_of(&bytes), mode))),
    ];
    // SAFETY (of all calls on paths): the words are whole C strings while the call lasts.
    let on_names: [(&str, OnName); 2] = [
        ("remove", |path| Reply(on_one(&path, |name| unsafe { libc::unlink(name) }))),
        ("removeDirectory", |path| Reply(on_one(&path, |name| unsafe { libc::rmdir(name) }))),
    ];
    let on_two_names: [(&str, OnTwoNames); 4] = [
        ("rename", |from, to| Reply(on_two(&from, &to, |a, b| unsafe { libc::rename(a, b) }))),
        ("link", |from, to| Reply(on_two(&from, &to, |a, b| unsafe { libc::link(a, b) }))),
        ("symlink", |target, path| Reply(on_two(&target, &path, |a, b| unsafe { libc::symlink(a, b) }))),
        ("overwrite", |from, to| Reply(copy::overwrite(&from, &to))),
    ];
    let with_mode: [(&str, WithMode); 2] = [
        ("makeDirectory", |path, mode| Reply(make_directory(&path, mode))),
        ("changeMode", |path, mode| Reply(on_one(&path, |name| unsafe { libc::chmod(name, mode as libc::mode_t) }))),
    ];
    let to_names: [(&str, ToNames); 4] = [
        ("digest", |path| Reply(copy::digest(&path).map(|digest| vec![Name(digest.into_bytes())]))),
        ("readLink", |path| Reply(read_link(&path).map(|target| vec![target]))),
        ("realPath", |path| Reply(real_path(&path).map(|real| vec![real]))),
        ("list", |path| Reply(list(&path))),
    ];
    host.set("setModified", Func::from(|path: Name, time: Text| Reply(set_modified(&path, &time))))?;
    with_bytes.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))?;
    on_names.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))?;
    on_two_names.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))?;
    with_mode.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))?;
    to_names.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))?;
    host.set(
        "syncDirectory",
        Func::from(|path: Name| {
            // Best effort by contract: some file systems refuse to sync a directory.
            let _ = File::open(&path, libc::O_RDONLY, 0).and_then(|directory| directory.sync());
        }),
    )?;
    host.set("workingDirectory", Func::from(working_directory))
}

pub fn on_one(path: &[u8], call: impl Fn(*const libc::c_char) -> libc::c_int) -> Answer<()> {
    check(call(to_c(path)?.as_ptr())).map(|_| ())
}

fn on_two(one: &[u8], other: &[u8], call: impl Fn(*const libc::c_char, *const libc::c_char) -> libc::c_int) -> Answer<()> {
    check(call(to_c(one)?.as_ptr(), to_c(other)?.as_ptr())).map(|_| ())
}

/// An open file, closed when it goes out of scope.
pub struct File(pub i32);

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: the descriptor is this file's own.
        unsafe { libc::close(self.0) };
    }
}

impl File {
    pub fn open(path: &[u8], flags: i32, mode: u32) -> Answer<File> {
        let name = to_c(path)?;
        // SAFETY: the name is a whole C string.
        retry(|| unsafe { libc::open(name.as_ptr(), flags | libc::O_CLOEXEC, mode) } as isize)
            .map(|descriptor| File(descriptor as i32))
    }

    pub fn read(&self, room: &mut [u8]) -> Answer<usize> {
        // SAFETY: `room` is valid for writes of its length.
        retry(|| unsafe { libc::read(self.0, room.as_mut_ptr().cast(), room.len()) })
    }

    pub fn write_all(&self, bytes: &[u8]) -> Answer<()> {
        let mut rest = bytes;
        while !rest.is_empty() {
            // SAFETY: `rest` is valid for reads of its length.
            let count = retry(|| unsafe { libc::write(self.0, rest.as_ptr().cast(), rest.len()) })?;
            if count == 0 {
                return Err(libc::EIO);
            }
            rest = &rest[count..];
        }
        Ok(())
    }

    fn sync(&self) -> Answer<()> {
        // SAFETY: plain call on a descriptor of our own.
        retry(|| unsafe { libc::fsync(self.0) } as isize).map(|_| ())
    }

    pub fn facts(&self) -> Answer<libc::stat> {
        let mut facts = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the call fills in the facts when it succeeds.
        unsafe {
            check(libc::fstat(self.0, facts.as_mut_ptr()))?;
            Ok(facts.assume_init())
        }
    }
}

pub fn read_whole(path: &[u8], limit: usize) -> Answer<Vec<u8>> {
    let file = File::open(path, libc::O_RDONLY | libc::O_NONBLOCK, 0)?;
    let size = file.facts()?.st_size as usize;
    if size > limit {
        return Err(libc::EFBIG);
    }
    // One byte more than the file has shows its end with the second read.
    let mut bytes = vec![0; size + 1];
    let mut filled = 0;
    let mut waited = 0.0;
    loop {
        if filled == bytes.len() {
            bytes.resize((filled + CHUNK).min(limit + 1), 0);
        }
        match file.read(&mut bytes[filled..]) {
            Ok(0) => break,
            Ok(count) if filled + count > limit => return Err(libc::EFBIG),
            Ok(count) => filled += count,
            Err(libc::EAGAIN) if waited < PIPE_PATIENCE_MS => {
                clock::sleep_ms(PIPE_RETRY_MS);
                waited += PIPE_RETRY_MS;
            }
            Err(code) => return Err(code),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn read_range(path: &[u8], offset: i64, length: usize) -> Answer<Vec<u8>> {
    let file = File::open(path, libc::O_RDONLY | libc::O_NONBLOCK, 0)?;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        let room = &mut bytes[filled..];
        // SAFETY: `room` is valid for writes of its length.
        match retry(|| unsafe {
            libc::pread(file.0, room.as_mut_ptr().cast(), room.len(), (offset + filled as i64) as libc::off_t)
        })? {
            0 => break,
            count => filled += count,
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn create_exclusive(path: &[u8], bytes: &[u8], mode: u32) -> Answer<()> {
    let file = File::open(path, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL, mode)?;
    file.write_all(bytes).and_then(|()| file.sync()).inspect_err(|_| {
        let _ = on_one(path, |name| unsafe { libc::unlink(name) });
    })
}

fn append(path: &[u8], bytes: &[u8], mode: u32) -> Answer<()> {
    let flags = libc::O_WRONLY | libc::O_APPEND | libc::O_CREAT | libc::O_NONBLOCK;
    File::open(path, flags, mode)?.write_all(bytes)
}

fn set_modified(path: &[u8], nanoseconds: &str) -> Answer<()> {
    const SECOND: i64 = 1_000_000_000;
    let time = nanoseconds.parse::<i64>().map_err(|_| libc::EINVAL)?;
    let modified = libc::timespec { tv_sec: time.div_euclid(SECOND), tv_nsec: time.rem_euclid(SECOND) };
    let times = [libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_NOW }, modified];
    on_one(path, |name| unsafe { libc::utimensat(libc::AT_FDCWD, name, times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW) })
}

fn read_link(path: &[u8]) -> Answer<Name> {
    let name = to_c(path)?;
    let mut room = vec![0_u8; 256];
    loop {
        // SAFETY: `room` is valid for writes of its length.
        let length = retry(|| unsafe { libc::readlink(name.as_ptr(), room.as_mut_ptr().cast(), room.len()) })?;
        if length < room.len() {
            room.truncate(length);
            return Ok(Name(room));
        }
        room.resize(room.len() * 2, 0);
    }
}

fn make_directory(path: &[u8], mode: u32) -> Answer<()> {
    let make = || on_one(path, |name| unsafe { libc::mkdir(name, mode as libc::mode_t) });
    let is_there = || look(path, libc::stat).is_ok_and(|facts| facts.st_mode & libc::S_IFMT == libc::S_IFDIR);
    let made = match make() {
        Err(libc::ENOENT) => match parent(path) {
            [] => Err(libc::ENOENT),
            parent => make_directory(parent, mode).and_then(|()| make()),
        },
        made => made,
    };
    made.or_else(|code| if is_there() { Ok(()) } else { Err(code) })
}

/// Empty when there is none but the root.
fn parent(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|byte| *byte != b'/').map_or(0, |last| last + 1);
    let slash = path[..end].iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    &path[..slash]
}

pub fn list(path: &[u8]) -> Answer<Vec<Name>> {
    let mut names = Vec::new();
    // SAFETY: every name is used before the next is asked for.
    each_name(path, |_, name| unsafe { names.push(name_from_c(name)) }).map(|()| names)
}

/// Calls `see` with the open directory and each name in it, as the file system spells it.
pub fn each_name(path: &[u8], mut see: impl FnMut(i32, *const libc::c_char)) -> Answer<()> {
    let path = to_c(path)?;
    // SAFETY: the directory is open while its entries are read, and every entry is used before the next is asked for.
    unsafe {
        let directory = libc::opendir(path.as_ptr());
        if directory.is_null() {
            return Err(last());
        }
        loop {
            let entry = libc::readdir(directory);
            if entry.is_null() {
                break;
            }
            let name = (*entry).d_name.as_ptr();
            if !matches!(CStr::from_ptr(name).to_bytes(), b"." | b"..") {
                see(libc::dirfd(directory), name);
            }
        }
        libc::closedir(directory);
    }
    Ok(())
}

fn real_path(path: &[u8]) -> Answer<Name> {
    let name = to_c(path)?;
    // SAFETY: the call answers with a C string of its own making, or null.
    unsafe {
        let real = libc::realpath(name.as_ptr(), core::ptr::null_mut());
        if real.is_null() {
            return Err(last());
        }
        let found = name_from_c(real);
        libc::free(real.cast());
        Ok(found)
    }
}

fn working_directory() -> Option<String> {
    let mut room = vec![0_u8; 512];
    loop {
        // SAFETY: `room` is valid for writes of its length.
        unsafe {
            if !libc::getcwd(room.as_mut_ptr().cast(), room.len()).is_null() {
                return Some(from_c(room.as_ptr().cast()));
            }
        }
        if last() != libc::ERANGE {
            return None;
        }
        room.resize(room.len() * 2, 0);
    }
}
