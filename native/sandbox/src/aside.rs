//! Files that start something later, made by a command that may not make them: set aside where a person can look at them.

use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, ResolveFlags, mkdirat, openat2, renameat};

/// Those of the policy's absent paths that are not there before the command runs.
pub fn list_absent(paths: &[PathBuf]) -> Vec<&Path> {
    paths.iter().map(PathBuf::as_path).filter(|path| path.symlink_metadata().is_err()).collect()
}

/// Moves what has come into being to `held/ID` below the folder of sandboxes.
pub fn set_aside(home: &OwnedFd, id: &str, absent: &[&Path]) {
    for (number, path) in absent.iter().enumerate().filter(|(_, path)| path.symlink_metadata().is_ok()) {
        let path = first_link(path).unwrap_or(path);
        let folder = format!("held/{id}");
        for name in ["held", &folder] {
            let _ = mkdirat(home, name, Mode::from_bits_retain(0o700));
        }
        let shown = path.display();
        match move_to(path, home, &format!("{folder}/{number}")) {
            Ok(()) => eprintln!(
                "amplihack-sandbox: set aside {shown}: it starts something later, which a command in the sandbox may \
                 not make"
            ),
            Err(error) => eprintln!(
                "amplihack-sandbox: {shown} starts something later and was made in the sandbox; it could not be set \
                 aside ({error}), so look at it and remove it"
            ),
        }
    }
}

/// A link that the command put on the way: behind it lies what was there before.
fn first_link(path: &Path) -> Option<&Path> {
    let ways: Vec<&Path> = path.ancestors().collect();
    ways.into_iter().rev().find(|way| way.symlink_metadata().is_ok_and(|found| found.is_symlink()))
}

fn move_to(path: &Path, home: &OwnedFd, place: &str) -> io::Result<()> {
    let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = openat2(rustix::fs::CWD, parent, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    Ok(renameat(&parent, name, home, place)?)
}
