//! What a command may do, as it was written below the state home. Only an id names it on the command line.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Read;
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{AtFlags, Mode, OFlags, ResolveFlags, Stat, openat2};
use serde::Deserialize;

use crate::failure::{Because, Part, Result, fail};

const MAX_BYTES: u64 = 8 * 1024 * 1024;
const MAX_ID: usize = 64;

/// A member that this program does not know is an error: what it asks for could not be enforced.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct Policy {
    pub version: u32,
    /// Layers without which the command does not start. What is not named is not applied.
    pub layers: Vec<Layer>,
    /// What runs; without it, the words after `--`.
    pub command: Option<Vec<String>>,
    /// Where it runs; without it, where this program was started.
    pub directory: Option<PathBuf>,
    pub environment: Environment,
    /// Trees and files that may be changed.
    pub write: Vec<PathBuf>,
    /// Paths below them that are neither changed, nor moved, nor replaced.
    pub read_only: Vec<PathBuf>,
    /// Names below them that must not come into being.
    pub reserve: Vec<Reserved>,
    /// Paths whose contents are not shown.
    pub hide: Vec<Hidden>,
    /// Paths below them that are shown all the same.
    pub show: Vec<PathBuf>,
    /// Paths that were not there; what the command made of them is set aside when it has ended.
    pub absent: Vec<PathBuf>,
    /// Folders through whose links somebody outside would write elsewhere: a link that the command put there and that leads
    /// out of the folder is set aside, too.
    pub no_links: Vec<PathBuf>,
    /// Trees whose changes are caught instead of made.
    pub overlay: Vec<Overlay>,
    pub network: Network,
    /// With `network: proxy`.
    pub proxy: Option<Proxy>,
    /// What becomes of processes that the command leaves running.
    pub leftovers: Leftovers,
    /// Names the lock that all sandboxes with the same reserved names share.
    pub project: String,
    pub limits: Option<Limits>,
    /// The process whose end is the end of the command: without it, nobody takes what is caught.
    pub ends_with: Option<i32>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    Namespaces,
    Landlock,
    Seccomp,
}

/// Nothing but these variables reaches the command.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Environment {
    /// Names whose values are taken over from this program's environment.
    pub keep: Vec<String>,
    pub set: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reserved {
    pub path: PathBuf,
    pub kind: Kind,
    /// What a reserved file holds while the command runs.
    #[serde(default)]
    pub text: String,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    File,
    Folder,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hidden {
    pub path: PathBuf,
    /// What a hidden file seems to hold.
    #[serde(default)]
    pub text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Overlay {
    pub path: PathBuf,
    pub upper: PathBuf,
    pub work: PathBuf,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Network {
    Off,
    Proxy,
    On,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proxy {
    /// Where the command finds it, on its own 127.0.0.1.
    pub port: u16,
    /// Ports of the machine that the proxy serves, under the same numbers there.
    #[serde(default)]
    pub ports: Vec<u16>,
    /// Started at the first connection, outside: descriptor 3 is the listening socket, descriptor 4 ends with the
    /// sandbox, those of `ports` follow, and what it prints is told to the person at the end.
    pub command: Vec<String>,
    pub environment: BTreeMap<String, String>,
}

#[derive(Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum Leftovers {
    Keep,
    Kill,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub processes: Option<u64>,
    pub memory: Option<u64>,
}

impl Policy {
    pub fn has(&self, layer: Layer) -> bool {
        self.layers.contains(&layer)
    }

    fn covered(&self) -> impl Iterator<Item = &Path> {
        (self.write.iter())
            .chain(&self.read_only)
            .chain(self.reserve.iter().map(|one| &one.path))
            .chain(self.hide.iter().map(|one| &one.path))
            .chain(self.overlay.iter().map(|one| &one.path))
            .chain(&self.show)
            .map(PathBuf::as_path)
    }

    fn paths(&self) -> impl Iterator<Item = &Path> {
        let layers = self.overlay.iter().flat_map(|one| [&one.upper, &one.work]);
        self.covered().chain(layers.chain(&self.absent).chain(&self.no_links).chain(&self.directory).map(PathBuf::as_path))
    }

    fn check(&self) -> Result<()> {
        if self.version != 1 {
            return fail(Part::Policy, format!("its version is {}, and this program knows 1", self.version));
        }
        if let Some(path) = self.paths().find(|path| !is_plain(path)) {
            return fail(Part::Policy, format!("{} is not an absolute path without \"..\"", path.display()));
        }
        check_name(&self.project)?;
        if !self.has(Layer::Namespaces) && !self.has(Layer::Landlock) {
            return fail(Part::Policy, "it demands neither namespaces nor landlock, and nothing runs bare");
        }
        let is_made_anew = |path: &Path| path == "/" || ["/dev", "/proc"].iter().any(|own| path.starts_with(own));
        if let Some(path) = self.covered().find(|path| is_made_anew(path)) {
            return fail(Part::Policy, format!("{} is no place for a rule", path.display()));
        }
        if (self.network == Network::Proxy) != self.proxy.is_some() {
            return fail(Part::Policy, "\"network\": \"proxy\" and \"proxy\" go together");
        }
        self.check_without_namespaces()
    }

    /// Without a view of its own a command cannot be kept from single files below a folder that it may change.
    fn check_without_namespaces(&self) -> Result<()> {
        if self.has(Layer::Namespaces) {
            return Ok(());
        }
        let below = |path: &Path| self.write.iter().any(|root| path.starts_with(root));
        let asked = [
            ("readOnly", !self.read_only.is_empty()),
            ("reserve", !self.reserve.is_empty()),
            ("overlay", !self.overlay.is_empty()),
            ("hide below a folder that may be changed", self.hide.iter().any(|one| below(&one.path))),
            ("hide with a text", self.hide.iter().any(|one| !one.text.is_empty())),
            ("hide without landlock", !self.hide.is_empty() && !self.has(Layer::Landlock)),
            ("network: proxy", self.network == Network::Proxy),
            ("network: off without seccomp", self.network == Network::Off && !self.has(Layer::Seccomp)),
        ];
        match asked.iter().find(|(_, is_asked)| *is_asked) {
            Some((what, _)) => fail(Part::Namespaces, format!("{what} cannot be enforced without this layer")),
            None => Ok(()),
        }
    }
}

fn is_plain(path: &Path) -> bool {
    path.is_absolute() && path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
}

fn check_name(name: &str) -> Result<()> {
    let is_known = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    if name.is_empty() || name.len() > MAX_ID || !name.bytes().all(is_known) {
        return fail(Part::Arguments, "an id has 1 to 64 letters, digits, \"-\" and \"_\"");
    }
    Ok(())
}

/// The folder of sandboxes below a state home. The folders must be the user's own and nobody else's to write to.
pub fn open_home(home: &Path) -> Result<OwnedFd> {
    if !is_plain(home) {
        return fail(Part::Arguments, "the state home must be an absolute path without \"..\"");
    }
    let open = |path: &Path| {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
        openat2(rustix::fs::CWD, path, flags, Mode::empty(), ResolveFlags::NO_MAGICLINKS)
            .because(Part::Policy, path.display())
    };
    let folder = home.join("sandbox");
    for path in [home, &folder] {
        let stat = rustix::fs::fstat(open(path)?).because(Part::Policy, path.display())?;
        check_owner(&stat, path.as_os_str(), 0o022)?;
    }
    open(&folder)
}

fn check_owner(stat: &Stat, name: &OsStr, forbidden: u32) -> Result<()> {
    let name = Path::new(name).display();
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return fail(Part::Policy, format!("{name} belongs to somebody else"));
    }
    if stat.st_mode & forbidden != 0 {
        return fail(Part::Policy, format!("others may write to {name} or read it; its mode must be without {forbidden:o}"));
    }
    Ok(())
}

pub fn read_policy(home: &OwnedFd, id: &str) -> Result<Policy> {
    check_name(id)?;
    let path = format!("policies/{id}.json");
    let folder = rustix::fs::statat(home, "policies", AtFlags::SYMLINK_NOFOLLOW).because(Part::Policy, "policies")?;
    check_owner(&folder, OsStr::new("policies"), 0o022)?;
    let resolve = ResolveFlags::NO_SYMLINKS | ResolveFlags::BENEATH;
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = openat2(home, &path, flags, Mode::empty(), resolve).because(Part::Policy, &path)?;
    let stat = rustix::fs::fstat(&file).because(Part::Policy, &path)?;
    if stat.st_mode & libc::S_IFMT != libc::S_IFREG {
        return fail(Part::Policy, format!("{path} is not a file"));
    }
    check_owner(&stat, OsStr::new(&path), 0o077)?;
    let mut bytes = Vec::new();
    let mut file = std::fs::File::from(file).take(MAX_BYTES + 1);
    file.read_to_end(&mut bytes).because(Part::Policy, &path)?;
    if bytes.len() as u64 > MAX_BYTES {
        return fail(Part::Policy, format!("{path} is larger than 8 MiB"));
    }
    let policy: Policy = serde_json::from_slice(&bytes).because(Part::Policy, &path)?;
    policy.check()?;
    Ok(policy)
}
