//! Which tracked files are not as git's index notes them. While these are the same ones, untouched, git has nothing new to
//! say of tracked files and need not be started. The form is described in git's `gitformat-index`.

use crate::{
    errno::check,
    facts::look,
    files::{File, read_whole},
    text::Name,
};
use alloc::vec::Vec;
use core::mem::MaybeUninit;
use rquickjs::{Object, Result, function::Func};

const MOST_BYTES: usize = 64 << 20;
const HEAD: usize = 12;
/// Ten numbers of a file and the id of its content.
const NUMBERS: usize = 10;
const ID: usize = 20;
const IS_EXTENDED: u16 = 0x4000;
/// Assumed to be unchanged, or one of several versions while a merge is under way.
const IS_SPECIAL: u16 = 0x8000 | 0x3000;
const GITLINK: u32 = 0o160_000;

pub fn install(host: &Object<'_>) -> Result<()> {
    host.set("unlikeIndex", Func::from(|index: Name, top: Name| unlike_index(&index, &top)))
}

/// Absolute paths, parted by zero bytes; none where the index has a form that is not read here.
fn unlike_index(index: &[u8], top: &[u8]) -> Option<Name> {
    let written = look(index, libc::lstat).ok()?;
    let bytes = read_whole(index, MOST_BYTES).ok()?;
    let folder = File::open(top, libc::O_RDONLY | libc::O_DIRECTORY, 0).ok()?;
    let version = number(&bytes, 4)?;
    if !bytes.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let mut found = Vec::new();
    let mut name: Vec<u8> = Vec::new();
    let mut at = HEAD;
    for _ in 0..number(&bytes, 8)? {
        let mut noted = [0; NUMBERS];
        for (place, value) in noted.iter_mut().enumerate() {
            *value = number(&bytes, at + place * 4)?;
        }
        let flags = half(&bytes, at + NUMBERS * 4 + ID)?;
        let is_extended = flags & IS_EXTENDED != 0;
        let mut from = at + NUMBERS * 4 + ID + if is_extended { 4 } else { 2 };
        // A name begins as the one before it did, or stands whole and is filled up to eight bytes.
        let shared = if version == 4 { shared_length(&bytes, &mut from, name.len())? } else { 0 };
        let end = from + bytes.get(from..)?.iter().position(|byte| *byte == 0)?;
        name.truncate(shared);
        name.extend_from_slice(&bytes[from..end]);
        at = if version == 4 { end + 1 } else { at + ((end - at) / 8 + 1) * 8 };
        match noted[6] & 0o170_000 {
            GITLINK => continue,
            // A folder that stands for all of its files.
            0o040_000 => return None,
            _ => {}
        }
        name.push(0);
        let is_like = flags & IS_SPECIAL == 0 && !is_extended && is_as_noted(&folder, &name, &noted, &written);
        name.pop();
        if !is_like {
            if !found.is_empty() {
                found.push(0);
            }
            found.extend_from_slice(top);
            found.push(b'/');
            found.extend_from_slice(&name);
        }
    }
    // Behind the entries: what begins with a small letter changes what they mean.
    while at + 8 + ID <= bytes.len() {
        if bytes[at].is_ascii_lowercase() {
            return None;
        }
        at += 8 + number(&bytes, at + 4)? as usize;
    }
    Some(Name(found))
}

/// A file that was written when the index was, or later, may have another content with the same numbers.
fn is_as_noted(folder: &File, name: &[u8], noted: &[u32; NUMBERS], index: &libc::stat) -> bool {
    let mut facts = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the name ends with a zero byte, and the call fills in the facts when it succeeds.
    let facts = unsafe {
        let call = libc::fstatat(folder.0, name.as_ptr().cast(), facts.as_mut_ptr(), libc::AT_SYMLINK_NOFOLLOW);
        if check(call).is_err() {
            return false;
        }
        facts.assume_init()
    };
    let mode = facts.st_mode as u32;
    let kept = if mode & 0o170_000 == 0o100_000 { 0o170_100 } else { 0o170_000 };
    let now = [
        facts.st_ctime as u32,
        facts.st_ctime_nsec as u32,
        facts.st_mtime as u32,
        facts.st_mtime_nsec as u32,
        noted[4],
        facts.st_ino as u32,
        mode & kept,
        facts.st_uid,
        facts.st_gid,
        facts.st_size as u32,
    ];
    let mut before = *noted;
    before[6] &= kept;
    let is_racy = (facts.st_mtime, facts.st_mtime_nsec) >= (index.st_mtime, index.st_mtime_nsec);
    now == before && !is_racy
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4).map(|found| u32::from_be_bytes([found[0], found[1], found[2], found[3]]))
}

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..at + 2).map(|found| u16::from_be_bytes([found[0], found[1]]))
}

/// How much of the name before is kept, told by how much of it is not; moves `from` behind that.
fn shared_length(bytes: &[u8], from: &mut usize, length: usize) -> Option<usize> {
    let mut byte = *bytes.get(*from)?;
    let mut dropped = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        *from += 1;
        byte = *bytes.get(*from)?;
        dropped = ((dropped + 1) << 7) | usize::from(byte & 0x7f);
    }
    *from += 1;
    length.checked_sub(dropped)
}
