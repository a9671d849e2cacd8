//! Landlock: files by tree, signals and abstract sockets, and TCP where the network is off.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, Compatible, CompatLevel, PathBeneath, PathFd, Ruleset, RulesetAttr,
    RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
};

use crate::failure::{Because, Part, Result, fail};
use crate::policy::{Layer, Network, Policy};

/// The newest that is known here; what the kernel lacks of it is left out.
const NEWEST: ABI = ABI::V9;
const DEVICES: [&str; 8] = [
    "/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts",
];
/// Where the machine's own programs and libraries are; nobody hides something there.
const MEMORY: &str = "/dev/shm";

pub fn restrict_access(policy: &Policy) -> Result<()> {
    let status = build(policy).and_then(|rules| rules.restrict_self().because(Part::Landlock, "restricting"))?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return fail(Part::Landlock, "this kernel does not have it, or it is switched off");
    }
    Ok(())
}

fn build(policy: &Policy) -> Result<RulesetCreated> {
    let part = Part::Landlock;
    let mut rules = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(NEWEST))
        .because(part, "files")?
        .scope(Scope::AbstractUnixSocket | Scope::Signal)
        .because(part, "scopes")?;
    let has_view = policy.has(Layer::Namespaces);
    if policy.network == Network::Off && !has_view {
        rules = rules.handle_access(AccessNet::from_all(NEWEST)).because(part, "network")?;
    }
    let mut rules = rules.create().because(part, "rules")?;
    let read = AccessFs::from_read(NEWEST);
    let all = AccessFs::from_all(NEWEST);
    let write = all & !make_devices();
    if has_view {
        rules = allow(rules, Path::new("/"), read)?;
        // All that is there was put there for the command.
        rules = allow(rules, Path::new("/dev"), write)?;
    } else {
        for (path, access) in readable(policy) {
            rules = allow(rules, &path, access)?;
        }
        for path in DEVICES.iter().chain([&MEMORY]) {
            rules = allow(rules, Path::new(path), write)?;
        }
    }
    let caught = policy.overlay.iter().map(|one| &one.path);
    for path in policy.write.iter().chain(caught) {
        rules = allow(rules, path, write)?;
    }
    Ok(rules)
}

fn make_devices() -> BitFlags<AccessFs> {
    AccessFs::MakeChar | AccessFs::MakeBlock
}

/// A path that is not there needs no rule.
fn allow(rules: RulesetCreated, path: &Path, access: BitFlags<AccessFs>) -> Result<RulesetCreated> {
    let Ok(file) = PathFd::new(path) else { return Ok(rules) };
    let is_folder = std::fs::metadata(path).is_ok_and(|found| found.is_dir());
    let access = if is_folder { access } else { access & AccessFs::from_file(NEWEST) };
    rules.add_rule(PathBeneath::new(file, access)).because(Part::Landlock, path.display())
}

/// Rules only add: a hidden path is left out by naming everything beside it and beside the folders above it. Names
/// in those folders can be listed; files that come later cannot be read.
fn readable(policy: &Policy) -> Vec<(PathBuf, BitFlags<AccessFs>)> {
    let read = AccessFs::from_read(NEWEST);
    // A disk's device shows every file on it to those who may read it, and other devices what is typed.
    let devices = Path::new("/dev");
    let hidden: BTreeSet<&Path> = policy.hide.iter().map(|one| one.path.as_path()).chain([devices]).collect();
    let above: BTreeSet<&Path> = hidden.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let mut found = vec![(PathBuf::from("/"), AccessFs::ReadDir.into())];
    for folder in &above {
        let is_hidden = folder.ancestors().any(|path| hidden.contains(path));
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        if is_hidden {
            continue;
        }
        for entry in entries.flatten() {
            let path = entry.path();
            let is_link = entry.file_type().is_ok_and(|kind| kind.is_symlink());
            // A rule of a link would be one of its target, which has its own place in the tree.
            if !is_link && !hidden.contains(path.as_path()) && !above.contains(path.as_path()) {
                found.push((path, read));
            }
        }
    }
    found
}

/// The version of Landlock that is enforced here; 0 is none.
pub fn version() -> i32 {
    const VERSION_FLAG: libc::c_ulong = 1;
    let version = unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, 0, 0, VERSION_FLAG) };
    version.max(0) as i32
}
