//! The file primitives of `System.files`.

use crate::reply::{Bytes, Reply, bytes_of};
use rquickjs::{Ctx, Object, Result, TypedArray, function::Func};
use std::{
    fs::{self, File, Metadata, OpenOptions},
    io::{self, ErrorKind, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt, FileExt, MetadataExt, OpenOptionsExt, PermissionsExt, symlink},
    thread,
    time::Duration,
};

const PIPE_PATIENCE_MS: u64 = 2_000;
const PIPE_RETRY_MS: u64 = 5;

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("read", Func::from(|path: String, limit: f64| Reply(read_whole(&path, limit as u64).map(Bytes))))?;
    host.set(
        "readRange",
        Func::from(|path: String, offset: f64, length: f64| {
            Reply(read_range(&path, offset as u64, length as usize).map(Bytes))
        }),
    )?;
    host.set(
        "createExclusive",
        Func::from(|path: String, bytes: TypedArray<'_, u8>, mode: u32| {
            Reply(create_exclusive(&path, &bytes_of(&bytes), mode))
        }),
    )?;
    host.set(
        "append",
        Func::from(|path: String, bytes: TypedArray<'_, u8>, mode: u32| Reply(append(&path, &bytes_of(&bytes), mode))),
    )?;
    host.set("rename", Func::from(|from: String, to: String| Reply(fs::rename(from, to))))?;
    host.set("link", Func::from(|from: String, to: String| Reply(fs::hard_link(from, to))))?;
    host.set("symlink", Func::from(|target: String, path: String| Reply(symlink(target, path))))?;
    host.set("readLink", Func::from(|path: String| Reply(fs::read_link(path).map(|target| vec![lossy(&target)]))))?;
    host.set("remove", Func::from(|path: String| Reply(remove(&path))))?;
    host.set("removeDirectory", Func::from(|path: String| Reply(fs::remove_dir(path))))?;
    host.set("makeDirectory", Func::from(|path: String, mode: u32| Reply(make_directory(&path, mode))))?;
    host.set("list", Func::from(|path: String| Reply(list(&path))))?;
    host.set("inspect", Func::from(inspect))?;
    host.set("follow", Func::from(follow))?;
    host.set("realPath", Func::from(|path: String| Reply(fs::canonicalize(path).map(|real| vec![lossy(&real)]))))?;
    host.set(
        "changeMode",
        Func::from(|path: String, mode: u32| Reply(fs::set_permissions(path, fs::Permissions::from_mode(mode)))),
    )?;
    host.set(
        "syncDirectory",
        Func::from(|path: String| {
            // Best effort by contract: some file systems refuse to sync a directory.
            let _ = File::open(path).and_then(|directory| directory.sync_all());
        }),
    )?;
    host.set(
        "workingDirectory",
        Func::from(|| std::env::current_dir().ok().map(|path| lossy(&path))),
    )
}

fn lossy(path: &std::path::Path) -> String {
    path.to_string_lossy().into_owned()
}

fn too_large() -> io::Error {
    io::Error::from_raw_os_error(libc::EFBIG)
}

fn open_to_read(path: &str) -> io::Result<File> {
    OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(path)
}

fn read_whole(path: &str, limit: u64) -> io::Result<Vec<u8>> {
    let mut file = open_to_read(path)?;
    let size = file.metadata()?.len();
    if size > limit {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(size as usize + 1);
    let mut waited = 0;
    loop {
        match io::Read::take(&mut file, limit + 1 - bytes.len() as u64).read_to_end(&mut bytes) {
            Ok(_) if bytes.len() as u64 > limit => return Err(too_large()),
            Ok(_) => return Ok(bytes),
            Err(error) if error.kind() == ErrorKind::WouldBlock && waited < PIPE_PATIENCE_MS => {
                thread::sleep(Duration::from_millis(PIPE_RETRY_MS));
                waited += PIPE_RETRY_MS;
            }
            Err(error) => return Err(error),
        }
    }
}

fn read_range(path: &str, offset: u64, length: usize) -> io::Result<Vec<u8>> {
    let file = open_to_read(path)?;
    let mut bytes = vec![0; length];
    let mut filled = 0;
    while filled < length {
        match file.read_at(&mut bytes[filled..], offset + filled as u64) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(filled);
    Ok(bytes)
}

fn create_exclusive(path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?;
    file.write_all(bytes).and_then(|()| file.sync_all()).inspect_err(|_| {
        let _ = fs::remove_file(path);
    })
}

fn append(path: &str, bytes: &[u8], mode: u32) -> io::Result<()> {
    OpenOptions::new()
        .append(true)
        .create(true)
        .mode(mode)
        .custom_flags(libc::O_NONBLOCK)
        .open(path)?
        .write_all(bytes)
}

fn remove(path: &str) -> io::Result<()> {
    fs::remove_file(path)
}

fn make_directory(path: &str, mode: u32) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(mode).create(path)
}

fn list(path: &str) -> io::Result<Vec<String>> {
    fs::read_dir(path)?
        .map(|entry| entry.map(|found| found.file_name().to_string_lossy().into_owned()))
        .collect()
}

fn inspect<'js>(ctx: Ctx<'js>, path: String) -> Result<rquickjs::Value<'js>> {
    facts(&ctx, fs::symlink_metadata(path))
}

fn follow<'js>(ctx: Ctx<'js>, path: String) -> Result<rquickjs::Value<'js>> {
    facts(&ctx, fs::metadata(path))
}

/// An object of facts, undefined when nothing is there, an errno name for any other failure.
fn facts<'js>(ctx: &Ctx<'js>, found: io::Result<Metadata>) -> Result<rquickjs::Value<'js>> {
    use rquickjs::IntoJs;
    let metadata = match found {
        Ok(metadata) => metadata,
        Err(error) => {
            return match error.raw_os_error() {
                Some(libc::ENOENT | libc::ENOTDIR) => Ok(rquickjs::Value::new_undefined(ctx.clone())),
                _ => Reply::<()>(Err(error)).into_js(ctx),
            };
        }
    };
    let kind = match metadata.file_type() {
        kind if kind.is_file() => "file",
        kind if kind.is_dir() => "directory",
        kind if kind.is_symlink() => "symlink",
        _ => "other",
    };
    let object = Object::new(ctx.clone())?;
    object.set("kind", kind)?;
    object.set("size", metadata.size() as f64)?;
    object.set("mode", metadata.mode() & 0o7777)?;
    object.set("uid", metadata.uid())?;
    object.set("modifiedMs", (metadata.mtime() * 1_000 + metadata.mtime_nsec() / 1_000_000) as f64)?;
    object.set("identity", format!("{}:{}", metadata.dev(), metadata.ino()))?;
    object.into_js(ctx)
}
