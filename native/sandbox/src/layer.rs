//! `--layer DIR`: what a folder that caught changes holds. Each entry is a letter and a path below the folder, ended by a
//! zero byte; folders come before what is in them. Only marks are read here that no other program can see.

use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::fs::lgetxattr;

use crate::failure::{Because, Part, Result};

const OPAQUE: &str = "user.overlay.opaque";

pub fn print_layer(folder: &Path) -> Result<()> {
    let mut output = io::BufWriter::new(io::stdout().lock());
    // A stack, not calls: a tree may be deeper than the stack of a thread.
    let mut open = vec![PathBuf::new()];
    while let Some(below) = open.pop() {
        let here = folder.join(&below);
        let entries = std::fs::read_dir(&here).because(Part::Files, here.display())?;
        let mut names = entries.map(|entry| entry.map(|one| one.file_name())).collect::<io::Result<Vec<_>>>();
        let names = names.as_mut().map_err(|error| error.to_string()).because(Part::Files, here.display())?;
        names.sort();
        for name in names {
            let path = below.join(name);
            let mark = mark_of(&folder.join(&path)).because(Part::Files, path.display())?;
            let line = [&[mark], path.as_os_str().as_bytes(), b"\0"].concat();
            output.write_all(&line).because(Part::Arguments, "printing")?;
            if matches!(mark, b'D' | b'O') {
                open.push(path);
            }
        }
    }
    output.flush().because(Part::Arguments, "printing")
}

/// `W` deleted, `O` a folder without what lies below it, `D` another folder, `F` a file, `L` a link, `X` anything else.
fn mark_of(path: &Path) -> io::Result<u8> {
    let found = path.symlink_metadata()?;
    let kind = found.file_type();
    Ok(if kind.is_dir() {
        if is_opaque(path) { b'O' } else { b'D' }
    } else if kind.is_char_device() && found.rdev() == 0 {
        b'W'
    } else if kind.is_symlink() {
        b'L'
    } else if kind.is_file() {
        b'F'
    } else {
        b'X'
    })
}

fn is_opaque(path: &Path) -> bool {
    let mut value = [0_u8; 8];
    lgetxattr(path, OPAQUE, &mut value).is_ok_and(|length| value[..length] == *b"y")
}
