//! Mounts as values: a tree is copied or made first and attached to a path later, without any path being read twice.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, ResolveFlags, openat2};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MoveMountFlags, OpenTreeFlags, fsconfig_create, fsconfig_set_flag,
    fsconfig_set_string, fsmount, fsopen, move_mount, open_tree,
};

pub type Tree = OwnedFd;

pub const READ_ONLY: u64 = libc::MOUNT_ATTR_RDONLY;
pub const NO_SET_ID: u64 = libc::MOUNT_ATTR_NOSUID;
pub const NO_DEVICES: u64 = libc::MOUNT_ATTR_NODEV;
pub const NO_PROGRAMS: u64 = libc::MOUNT_ATTR_NOEXEC;

/// A path of a policy holds no link: what it names is what was meant when the policy was written.
pub fn open_path(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::CLOEXEC;
    Ok(openat2(rustix::fs::CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?)
}

/// A copy of what is mounted at a place and below it.
pub fn copy_tree(place: &impl AsFd) -> io::Result<Tree> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(place, c"", flags)?)
}

pub enum Parameter<'a> {
    Flag(&'a CStr),
    Text(&'a CStr, &'a str),
}

/// A file system of a kind, not attached to anything yet.
pub fn make_tree(kind: &CStr, parameters: &[Parameter], attributes: u64) -> io::Result<Tree> {
    let context = fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for parameter in parameters {
        match parameter {
            Parameter::Flag(name) => fsconfig_set_flag(&context, *name)?,
            Parameter::Text(name, value) => fsconfig_set_string(&context, *name, *value)?,
        }
    }
    fsconfig_create(&context)?;
    let attributes = MountAttrFlags::from_bits_retain(attributes as u32);
    Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
}

pub fn attach(tree: &Tree, place: &impl AsFd) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(move_mount(tree, c"", place, c"", flags)?)
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    Mount,
    MountsBelow,
}

/// Adds attributes to the mount whose root is `place`.
pub fn set_attributes(place: &impl AsFd, attributes: u64, reach: Reach) -> io::Result<()> {
    let mut wanted: libc::mount_attr = unsafe { std::mem::zeroed() };
    wanted.attr_set = attributes;
    let below = if reach == Reach::MountsBelow { libc::AT_RECURSIVE } else { 0 };
    let flags = libc::AT_EMPTY_PATH | below;
    let place = place.as_fd().as_raw_fd();
    let size = size_of::<libc::mount_attr>();
    let done = unsafe { libc::syscall(libc::SYS_mount_setattr, place, c"".as_ptr(), flags, &wanted, size) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

pub fn is_same_file(one: &impl AsFd, other: &impl AsFd) -> io::Result<bool> {
    let (one, other) = (rustix::fs::fstat(one)?, rustix::fs::fstat(other)?);
    Ok(one.st_dev == other.st_dev && one.st_ino == other.st_ino)
}

pub fn is_folder(place: &impl AsFd) -> io::Result<bool> {
    Ok(rustix::fs::fstat(place)?.st_mode & libc::S_IFMT == libc::S_IFDIR)
}
