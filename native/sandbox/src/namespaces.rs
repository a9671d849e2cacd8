//! A process in namespaces of its own.

use std::io;
use std::path::PathBuf;

use rustix::process::{Pid, getegid, geteuid};

use crate::failure::{Because, Part, Result};

/// Without a network of its own the command has that of the machine.
pub fn flags(has_own_network: bool) -> i32 {
    let network = if has_own_network { libc::CLONE_NEWNET } else { 0 };
    libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC | network
}

pub enum Side {
    Parent(Pid),
    Child,
}

/// Like `fork`, with namespaces. There is only one thread, so the copy is whole.
pub fn fork(flags: i32) -> io::Result<Side> {
    let none = std::ptr::null::<libc::c_void>();
    let pid = unsafe { libc::syscall(libc::SYS_clone, flags | libc::SIGCHLD, none, none, none, none) };
    match Pid::from_raw(pid as i32) {
        None => Ok(Side::Child),
        Some(_) if pid < 0 => Err(io::Error::last_os_error()),
        Some(pid) => Ok(Side::Parent(pid)),
    }
}

/// Everybody keeps the same number inside. Root, who may, maps all numbers, so that owners look as they do outside.
pub fn map_ids(child: Pid) -> Result<()> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    let folder = PathBuf::from(format!("/proc/{}", child.as_raw_nonzero()));
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text);
    let map = || -> io::Result<()> {
        if user == 0 && write("uid_map", "0 0 4294967295").is_ok() {
            return write("gid_map", "0 0 4294967295");
        }
        write("setgroups", "deny")?;
        write("uid_map", &format!("{user} {user} 1"))?;
        write("gid_map", &format!("{group} {group} 1"))
    };
    map().because(Part::Namespaces, "numbers of users")
}
