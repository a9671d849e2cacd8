//! What the file system knows about names.

use crate::{
    errno::{self, Answer, check},
    files::each_name,
    reply::{Reply, write_numbers},
    text::{Name, name_from_c, to_c},
};
use alloc::{format, string::String, vec::Vec};
use core::mem::MaybeUninit;
use rquickjs::{Array, Ctx, IntoJs, Object, Result, TypedArray, Value, function::Func};

type IntoRoom = for<'a> fn(Name, TypedArray<'a, f64>) -> Reply<i32>;
type Exactly = fn(Name) -> Reply<Exact>;

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    let into_room: [(&str, IntoRoom); 2] = [
        ("inspect", |path, room| facts(&room, look(&path, libc::lstat))),
        ("follow", |path, room| facts(&room, look(&path, libc::stat))),
    ];
    let exactly: [(&str, Exactly); 2] = [
        ("exactFacts", |path| Reply(exact_facts(&path))),
        ("listFacts", |path| Reply(list_facts(&path))),
    ];
    host.set("stampsOf", Func::from(|paths: Name| stamps_of(&paths)))?;
    into_room.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))?;
    exactly.into_iter().try_for_each(|(name, function)| host.set(name, Func::from(function)))
}

type Look = unsafe extern "C" fn(*const libc::c_char, *mut libc::stat) -> libc::c_int;

pub fn look(path: &[u8], call: Look) -> Answer<libc::stat> {
    let name = to_c(path)?;
    let mut facts = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the call fills in the facts when it succeeds.
    unsafe {
        check(call(name.as_ptr(), facts.as_mut_ptr()))?;
        Ok(facts.assume_init())
    }
}

/// The kind as an index of the list that TypeScript has, 0 when nothing is there, and the facts in `room`; an errno
/// name for any other failure.
fn facts(room: &TypedArray<'_, f64>, found: Answer<libc::stat>) -> Reply<i32> {
    let facts = match found {
        Ok(facts) => facts,
        Err(libc::ENOENT | libc::ENOTDIR) => return Reply(Ok(0)),
        Err(code) => return Reply(Err(code)),
    };
    let modified = facts.st_mtime * 1_000 + facts.st_mtime_nsec / 1_000_000;
    let inode = facts.st_ino as u64;
    let numbers = [
        facts.st_size as f64,
        permissions(&facts),
        f64::from(facts.st_uid),
        modified as f64,
        facts.st_dev as f64,
        (inode >> 32) as f64,
        (inode & 0xffff_ffff) as f64,
        f64::from(facts.st_gid),
    ];
    write_numbers(room, &numbers);
    Reply(Ok(kind(&facts)))
}

fn kind(facts: &libc::stat) -> i32 {
    match facts.st_mode & libc::S_IFMT {
        libc::S_IFREG => 1,
        libc::S_IFDIR => 2,
        libc::S_IFLNK => 3,
        _ => 4,
    }
}

fn permissions(facts: &libc::stat) -> f64 {
    f64::from(u32::from(facts.st_mode) & 0o7777)
}

/// Names with their facts; in the engine one flat list, `FIELDS` values for each name.
struct Exact(Vec<(Name, libc::stat)>);

impl<'js> IntoJs<'js> for Exact {
    fn into_js(self, ctx: &Ctx<'js>) -> Result<Value<'js>> {
        const FIELDS: usize = 9;
        let list = Array::new(ctx.clone())?;
        for (number, (name, facts)) in self.0.into_iter().enumerate() {
            let identity = format!("{}:{}", facts.st_dev, facts.st_ino);
            let modified = nanoseconds(facts.st_mtime, facts.st_mtime_nsec);
            let stamp = stamp_of(&facts);
            let at = number * FIELDS;
            list.set(at, name)?;
            list.set(at + 1, kind(&facts))?;
            list.set(at + 2, facts.st_size as f64)?;
            list.set(at + 3, facts.st_blocks as f64 * 512.0)?;
            list.set(at + 4, permissions(&facts))?;
            list.set(at + 5, format!("{modified}"))?;
            list.set(at + 6, identity)?;
            list.set(at + 7, stamp)?;
            list.set(at + 8, facts.st_nlink as f64)?;
        }
        Ok(list.into_value())
    }
}

/// The same as TypeScript makes on Node.
fn stamp_of(facts: &libc::stat) -> String {
    let modified = nanoseconds(facts.st_mtime, facts.st_mtime_nsec);
    let changed = nanoseconds(facts.st_ctime, facts.st_ctime_nsec);
    format!("{}:{}:{}:{modified}:{changed}", facts.st_dev, facts.st_ino, facts.st_size)
}

/// Paths are parted by zero bytes, stamps by line breaks: empty where nothing is there, else the name of the failure.
fn stamps_of(paths: &[u8]) -> String {
    let mut stamps = String::with_capacity(paths.len());
    for (number, path) in paths.split(|byte| *byte == 0).enumerate() {
        if number > 0 {
            stamps.push('\n');
        }
        match look(path, libc::lstat) {
            Ok(facts) => stamps.push_str(&stamp_of(&facts)),
            Err(libc::ENOENT | libc::ENOTDIR) => {}
            Err(code) => stamps.push_str(errno::name(code)),
        }
    }
    stamps
}

fn nanoseconds(seconds: i64, rest: i64) -> i64 {
    seconds * 1_000_000_000 + rest
}

/// An empty list when nothing is there.
fn exact_facts(path: &[u8]) -> Answer<Exact> {
    match look(path, libc::lstat) {
        Ok(facts) => Ok(Exact(alloc::vec![(Name(Vec::new()), facts)])),
        Err(libc::ENOENT | libc::ENOTDIR) => Ok(Exact(Vec::new())),
        Err(code) => Err(code),
    }
}

fn list_facts(path: &[u8]) -> Answer<Exact> {
    let mut found = Vec::new();
    let mut failure = Ok(());
    each_name(path, |directory, name| {
        let mut facts = MaybeUninit::<libc::stat>::uninit();
        // SAFETY: the directory is open, the name is a C string, and the call fills in the facts when it succeeds.
        unsafe {
            match check(libc::fstatat(directory, name, facts.as_mut_ptr(), libc::AT_SYMLINK_NOFOLLOW)) {
                Ok(_) => found.push((name_from_c(name), facts.assume_init())),
                Err(libc::ENOENT) => {}
                Err(code) => failure = Err(code),
            }
        }
    })?;
    failure.map(|()| Exact(found))
}
