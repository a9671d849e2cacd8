//! Files that start something later, made by a command that may not make them: set aside where a person can look at them.

use std::collections::BTreeSet;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, mkdirat, openat, openat2, renameat, statat, unlinkat};

use crate::policy::Policy;

/// What was set aside after its command had ended, until the next sandbox tells of it.
const LATER: &str = "held/later";

/// What must not come into being, as it was before the command ran.
pub struct Absent<'a> {
    paths: Vec<&'a Path>,
    folders: &'a [PathBuf],
    links: BTreeSet<PathBuf>,
}

impl<'a> Absent<'a> {
    pub fn list(policy: &'a Policy) -> Absent<'a> {
        let paths = policy.absent.iter().map(PathBuf::as_path).filter(|path| path.symlink_metadata().is_err()).collect();
        Absent { paths, folders: &policy.no_links, links: list_links(&policy.no_links) }
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty() && self.folders.is_empty()
    }

    /// Moves what has come into being to `held/ID` below the folder of sandboxes, and says so.
    pub fn set_aside(&self, home: &OwnedFd, id: &str) -> String {
        let mut said = String::new();
        for path in self.paths.iter().filter(|path| path.symlink_metadata().is_ok()) {
            let path = first_link(path).unwrap_or(path);
            said += &set_aside(path, home, id, "it starts something later");
        }
        for path in list_links(self.folders).difference(&self.links) {
            said += &set_aside(path, home, id, "it is a link through which git would write elsewhere");
        }
        said
    }
}

fn set_aside(path: &Path, home: &OwnedFd, id: &str, why: &str) -> String {
    let folder = format!("held/{id}");
    for name in ["held", &folder] {
        let _ = mkdirat(home, name, Mode::from_bits_retain(0o700));
    }
    let shown = path.display();
    match move_to(path, home, &free_name(home, &folder)) {
        Ok(()) => format!(
            "amplihack-sandbox: set aside {shown}: {why}, which a command in the sandbox may not make\n"
        ),
        Err(error) => format!(
            "amplihack-sandbox: {shown} was made in the sandbox: {why}; it could not be set aside ({error}), so look at it \
             and remove it\n"
        ),
    }
}

/// Objects of git are never written through, and are many; what a submodule has is a folder of its own in the policy.
const PASSED: [&str; 2] = ["objects", "modules"];
const MAX_DEPTH: usize = 12;

/// Links in the folders and below them that lead out of them.
fn list_links(folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for root in folders {
        let mut waiting = vec![(root.clone(), 0)];
        while let Some((folder, depth)) = waiting.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let Ok(kind) = entry.file_type() else { continue };
                let is_passed = depth == 0 && PASSED.iter().any(|name| entry.file_name() == *name);
                if kind.is_symlink() && leads_out(&entry.path(), root) {
                    found.insert(entry.path());
                } else if kind.is_dir() && !is_passed && depth < MAX_DEPTH {
                    waiting.push((entry.path(), depth + 1));
                }
            }
        }
    }
    found
}

/// What is not there could be made there. `HEAD` may be a link to the name of a branch.
fn leads_out(link: &Path, root: &Path) -> bool {
    match link.canonicalize() {
        Ok(real) => !real.starts_with(root),
        Err(_) => std::fs::read_link(link).is_ok_and(|to| to.is_absolute() || to.components().any(|part| part == Component::ParentDir)),
    }
}

fn free_name(home: &OwnedFd, folder: &str) -> String {
    let names = (0..u32::MAX).map(|number| format!("{folder}/{number}"));
    let is_free = |name: &String| statat(home, name.as_str(), AtFlags::SYMLINK_NOFOLLOW).is_err();
    names.into_iter().find(is_free).unwrap_or_default()
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

/// The command has ended and what it left running goes on: until `life` ends, what it makes is set aside at once.
pub fn keep_watch(home: &OwnedFd, id: &str, absent: &Absent, life: &impl AsFd) {
    let watcher = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok();
    loop {
        let is_watched = watcher.as_ref().is_some_and(|watcher| watch_folders(watcher, &absent.paths));
        // What came between the last look and the watch is seen here.
        let said = absent.set_aside(home, id);
        if !said.is_empty() {
            note(home, &said);
            continue;
        }
        let mut awaited = vec![PollFd::new(life, PollFlags::IN)];
        awaited.extend(watcher.iter().filter(|_| is_watched).map(|watcher| PollFd::new(watcher, PollFlags::IN)));
        while poll(&mut awaited, None) == Err(rustix::io::Errno::INTR) {}
        if !awaited[0].revents().is_empty() {
            break;
        }
        if let Some(watcher) = &watcher {
            let mut events = [0_u8; 16 * 1024];
            while rustix::io::read(watcher, &mut events).is_ok_and(|length| length > 0) {}
        }
    }
    note(home, &absent.set_aside(home, id));
}

/// The folders in which a part of an absent path would appear.
fn watch_folders(watcher: &OwnedFd, absent: &[&Path]) -> bool {
    let flags = WatchFlags::CREATE | WatchFlags::MOVED_TO | WatchFlags::ONLYDIR | WatchFlags::DONT_FOLLOW;
    let nearest = |path: &&Path| path.ancestors().skip(1).find(|folder| folder.is_dir()).map(Path::to_path_buf);
    let folders: BTreeSet<PathBuf> = absent.iter().filter_map(nearest).collect();
    folders.iter().all(|folder| add_watch(watcher, folder, flags).is_ok())
}

fn note(home: &OwnedFd, said: &str) {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::APPEND | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    if said.is_empty() {
        return;
    }
    if let Ok(file) = openat(home, LATER, flags, Mode::from_bits_retain(0o600)) {
        let _ = std::fs::File::from(file).write_all(said.as_bytes());
    }
}

/// What earlier sandboxes could tell nobody.
pub fn take_notes(home: &OwnedFd) -> String {
    let mut said = String::new();
    if let Ok(file) = openat(home, LATER, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty()) {
        let _ = unlinkat(home, LATER, AtFlags::empty());
        let _ = std::fs::File::from(file).read_to_string(&mut said);
    }
    said
}
