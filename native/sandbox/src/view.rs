//! The file system as the command sees it: everything read-only, what may be changed laid over it, what is hidden
//! covered, and `/proc`, `/dev` and `/dev/shm` of its own. It is made in a mount namespace that nobody else sees.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, mkdirat, openat, symlinkat};
use rustix::mount::{MountPropagationFlags, mount_change};

use crate::failure::{Because, Part, Result, fail};
use crate::policy::{Overlay, Policy};
use crate::trees::{
    NO_DEVICES, NO_PROGRAMS, NO_SET_ID, Parameter, READ_ONLY, Reach, Tree, attach, copy_tree, is_folder, is_same_file,
    make_tree, open_path, set_attributes,
};

const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
const DEVICE_LINKS: [(&str, &str); 5] =
    [("/proc/self/fd", "fd"), ("fd/0", "stdin"), ("fd/1", "stdout"), ("fd/2", "stderr"), ("pts/ptmx", "ptmx")];
/// Readable or writable for root even without capabilities, or telling of other people's keys.
const PROC_HIDDEN: [&str; 6] = ["kcore", "key-users", "keys", "kmsg", "sysrq-trigger", "timer_list"];

/// How often a file may be replaced while it is hidden.
const MAX_REPLACED: usize = 20;

/// What is laid over a path.
enum Cover<'a> {
    /// The folder itself, so that it cannot be renamed while something below it is covered.
    Itself,
    /// A copy that was made before: as it is, or with its changes caught.
    Copy(Tree),
    ReadOnly,
    Hidden { text: &'a str, has_below: bool },
}

/// Answers with the hidden sockets and pipes, which their owners may take away.
pub fn build_view(policy: &Policy) -> Result<Vec<PathBuf>> {
    let part = Part::Files;
    let propagation = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
    mount_change("/", propagation).because(part, "mounts of its own")?;
    let covers = list_covers(policy)?;
    let devices = copy_devices()?;
    let masks = Masks::make(policy)?;
    let root = open_path(Path::new("/")).because(part, "/")?;
    set_attributes(&root, READ_ONLY | NO_SET_ID | NO_DEVICES, Reach::MountsBelow).because(part, "a read-only root")?;
    let mut open_masks = Vec::new();
    let is_special = |path: &Path| {
        use std::os::unix::fs::FileTypeExt;
        path.symlink_metadata().is_ok_and(|found| found.file_type().is_socket() || found.file_type().is_fifo())
    };
    let hidden = policy.hide.iter().map(|one| one.path.clone());
    let special = hidden.filter(|path| is_special(path)).collect();
    for (path, cover) in &covers {
        let done = lay(path, cover, &masks, &mut open_masks);
        done.because(part, path.display())?;
    }
    make_proc(&masks)?;
    make_dev(&devices)?;
    // Folders for mounts below were made in these, so they stayed writable until now.
    for mask in open_masks {
        set_attributes(&mask, READ_ONLY, Reach::Mount).because(part, "hidden folders")?;
    }
    Ok(special)
}

/// Ordered by path, so that what lies deeper is laid over what lies above it.
fn list_covers(policy: &Policy) -> Result<BTreeMap<PathBuf, Cover<'_>>> {
    let mut covers = BTreeMap::new();
    let changeable = || policy.write.iter().chain(policy.overlay.iter().map(|one| &one.path));
    let root_of = |path: &Path| changeable().filter(|root| path.starts_with(root)).min();
    let reserved = policy.reserve.iter().map(|one| &one.path);
    let hidden = policy.hide.iter().map(|one| &one.path);
    for path in policy.read_only.iter().chain(reserved.clone()).chain(hidden) {
        let Some(root) = root_of(path) else { continue };
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != root.as_path()) {
            if folder.starts_with(root) {
                covers.insert(folder.to_path_buf(), Cover::Itself);
            }
        }
    }
    for path in &policy.write {
        let copy = || -> io::Result<Tree> {
            let tree = copy_tree(&open_path(path)?)?;
            set_attributes(&tree, NO_SET_ID | NO_DEVICES, Reach::MountsBelow)?;
            Ok(tree)
        };
        covers.insert(path.clone(), Cover::Copy(copy().because(Part::Files, path.display())?));
    }
    for overlay in &policy.overlay {
        // Made while the folder that catches changes can be written to.
        let tree = catch_changes(overlay).because(Part::Files, format!("catching changes of {}", overlay.path.display()))?;
        covers.insert(overlay.path.clone(), Cover::Copy(tree));
    }
    for path in policy.read_only.iter().chain(reserved) {
        covers.insert(path.clone(), Cover::ReadOnly);
    }
    for path in &policy.show {
        let Ok(place) = open_path(path) else { continue };
        let tree = copy_tree(&place).because(Part::Files, path.display())?;
        let attributes = READ_ONLY | NO_SET_ID | NO_DEVICES;
        set_attributes(&tree, attributes, Reach::MountsBelow).because(Part::Files, path.display())?;
        covers.insert(path.clone(), Cover::Copy(tree));
    }
    let shown: Vec<PathBuf> = covers.keys().cloned().collect();
    for hidden in &policy.hide {
        let has_below = shown.iter().any(|path| path.starts_with(&hidden.path) && *path != hidden.path);
        covers.insert(hidden.path.clone(), Cover::Hidden { text: &hidden.text, has_below });
    }
    Ok(covers)
}

fn lay(path: &Path, cover: &Cover, masks: &Masks, open_masks: &mut Vec<Tree>) -> io::Result<()> {
    match cover {
        Cover::Itself => match lay_itself(path, 0) {
            // With the folder, what was to be hidden in it has gone: files of others come and go.
            Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(()),
            laid => laid,
        },
        Cover::ReadOnly => lay_itself(path, READ_ONLY),
        Cover::Copy(tree) => attach(tree, &open_or_make(path, tree, open_masks)?),
        Cover::Hidden { text, has_below } => {
            // Files of others come and go: what has gone since is looked for once more, another may be in its place.
            let mut laid = hide(path, text, *has_below, masks, open_masks);
            for _ in 0..MAX_REPLACED {
                if !laid.as_ref().is_err_and(|error| error.raw_os_error() == Some(libc::ENOENT)) {
                    break;
                }
                laid = hide(path, text, *has_below, masks, open_masks);
            }
            laid
        }
    }
}

fn hide(path: &Path, text: &str, has_below: bool, masks: &Masks, open_masks: &mut Vec<Tree>) -> io::Result<()> {
    let place = match open_path(path) {
        // Not there, or not to be reached by this user: nothing to hide.
        Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EACCES | libc::ENOTDIR)) => {
            return Ok(());
        }
        place => place?,
    };
    if has_below && is_folder(&place)? {
        let tree = make_tree(c"tmpfs", &[Parameter::Text(c"mode", "0755")], NO_SET_ID | NO_DEVICES | NO_PROGRAMS)?;
        attach(&tree, &place)?;
        open_masks.push(tree);
        return Ok(());
    }
    attach(&masks.copy(if is_folder(&place)? { Mask::Folder } else { Mask::File(text) })?, &place)
}

fn lay_itself(path: &Path, attributes: u64) -> io::Result<()> {
    let place = open_path(path)?;
    let tree = copy_tree(&place)?;
    if attributes != 0 {
        set_attributes(&tree, attributes, Reach::MountsBelow)?;
    }
    attach(&tree, &place)?;
    // Somebody outside may have put another file in its place since.
    if is_same_file(&open_path(path)?, &tree)? { Ok(()) } else { Err(io::Error::other("was replaced at the start")) }
}

/// Below a hidden folder the way to what may be changed is made anew.
fn open_or_make(path: &Path, tree: &Tree, open_masks: &[Tree]) -> io::Result<OwnedFd> {
    match open_path(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && !open_masks.is_empty() => {}
        place => return place,
    }
    let parent = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent)?;
    if is_folder(tree)? {
        std::fs::create_dir(path)?;
    } else {
        std::fs::File::create_new(path)?;
    }
    open_path(path)
}

fn catch_changes(overlay: &Overlay) -> io::Result<Tree> {
    let folders = [open_path(&overlay.path)?, open_path(&overlay.upper)?, open_path(&overlay.work)?];
    // By descriptor: a path may hold the characters that separate layers.
    let [lower, upper, work] = folders.each_ref().map(|folder| format!("/proc/self/fd/{}", folder.as_raw_fd()));
    let parameters = [
        Parameter::Text(c"lowerdir", &lower),
        Parameter::Text(c"upperdir", &upper),
        Parameter::Text(c"workdir", &work),
        Parameter::Flag(c"userxattr"),
    ];
    make_tree(c"overlay", &parameters, NO_SET_ID | NO_DEVICES)
}

/// Empty files and folders, and files with a given text, on a file system that ends up below the new `/dev`.
struct Masks {
    texts: BTreeMap<String, String>,
}

enum Mask<'a> {
    Folder,
    File(&'a str),
}

impl Masks {
    fn make(policy: &Policy) -> Result<Masks> {
        let texts = (policy.hide.iter())
            .map(|hidden| hidden.text.clone())
            .chain([String::new()])
            .enumerate()
            .map(|(number, text)| (text, format!("/dev/file{number}")))
            .collect::<BTreeMap<_, _>>();
        let make = || -> io::Result<()> {
            let place = open_path(Path::new("/dev"))?;
            let flags = NO_SET_ID | NO_DEVICES | NO_PROGRAMS;
            attach(&make_tree(c"tmpfs", &[Parameter::Text(c"mode", "0755")], flags)?, &place)?;
            std::fs::create_dir("/dev/folder")?;
            texts.iter().try_for_each(|(text, path)| std::fs::write(path, text))
        };
        make().because(Part::Files, "empty files for what is hidden")?;
        Ok(Masks { texts })
    }

    fn copy(&self, mask: Mask) -> io::Result<Tree> {
        let path = match mask {
            Mask::Folder => "/dev/folder",
            Mask::File(text) => &self.texts[text],
        };
        copy_tree(&open_path(Path::new(path))?)
    }
}

fn make_proc(masks: &Masks) -> Result<()> {
    let make = || -> io::Result<()> {
        let tree = make_tree(c"proc", &[], READ_ONLY | NO_SET_ID | NO_DEVICES | NO_PROGRAMS)?;
        attach(&tree, &open_path(Path::new("/proc"))?)?;
        for name in PROC_HIDDEN {
            match open_path(&Path::new("/proc").join(name)) {
                Ok(place) => attach(&masks.copy(Mask::File(""))?, &place)?,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    };
    make().because(Part::Namespaces, "a /proc of its own")
}

fn copy_devices() -> Result<Vec<(&'static str, Tree)>> {
    let copy = |name: &'static str| {
        let path = Path::new("/dev").join(name);
        let tree = open_path(&path).and_then(|place| copy_tree(&place)).because(Part::Files, path.display())?;
        Ok((name, tree))
    };
    DEVICES.into_iter().map(copy).collect()
}

fn make_dev(devices: &[(&str, Tree)]) -> Result<()> {
    let make = || -> io::Result<()> {
        let dev = make_tree(c"tmpfs", &[Parameter::Text(c"mode", "0755")], NO_SET_ID | NO_PROGRAMS)?;
        attach(&dev, &open_path(Path::new("/dev"))?)?;
        for (name, device) in devices {
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC;
            attach(device, &openat(&dev, *name, flags, Mode::from_bits_retain(0o644))?)?;
        }
        for (target, name) in DEVICE_LINKS {
            symlinkat(target, &dev, name)?;
        }
        let terminals = [Parameter::Text(c"ptmxmode", "0666"), Parameter::Text(c"mode", "0620")];
        mkdirat(&dev, "pts", Mode::from_bits_retain(0o755))?;
        attach(&make_tree(c"devpts", &terminals, NO_SET_ID | NO_PROGRAMS)?, &open_path(Path::new("/dev/pts"))?)?;
        mkdirat(&dev, "shm", Mode::from_bits_retain(0o755))?;
        let memory = make_tree(c"tmpfs", &[Parameter::Text(c"mode", "1777")], NO_SET_ID | NO_DEVICES)?;
        attach(&memory, &open_path(Path::new("/dev/shm"))?)?;
        set_attributes(&dev, READ_ONLY, Reach::Mount)
    };
    make().because(Part::Files, "a /dev of its own")
}

/// The working directory is entered anew: the old one is below the view.
pub fn enter_directory(path: &Path) -> Result<()> {
    if let Err(error) = rustix::process::chdir(path) {
        return fail(Part::Files, format!("the working directory {}: {error}", path.display()));
    }
    Ok(())
}
