//! Names that must not come into being: nothing can be laid over a path that is not there, so an empty file or folder
//! is put there while sandboxes of the project run. What was put there is noted first, and removed by the last
//! sandbox that ends, or by the next one that starts.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{FlockOperation, Mode, OFlags, flock, openat};

use crate::failure::{Because, Part, Result};
use crate::policy::{Kind, Policy, Reserved};

/// Held until the process and its copies end.
pub struct Reservation {
    notes: File,
}

impl Reservation {
    pub fn make(home: &OwnedFd, policy: &Policy) -> Result<Option<Reservation>> {
        if policy.reserve.is_empty() {
            return Ok(None);
        }
        let make = || -> io::Result<Reservation> {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::APPEND;
            let path = format!("policies/{}.reserved", policy.project);
            let notes = File::from(openat(home, path, flags, Mode::from_bits_retain(0o600))?);
            let mut reservation = Reservation { notes };
            reservation.release();
            flock(&reservation.notes, FlockOperation::LockShared)?;
            for reserved in &policy.reserve {
                reservation.reserve(reserved)?;
            }
            Ok(reservation)
        };
        make().because(Part::Files, "reserving names").map(Some)
    }

    fn reserve(&mut self, reserved: &Reserved) -> io::Result<()> {
        if reserved.path.symlink_metadata().is_ok() {
            return Ok(());
        }
        let mark = if reserved.kind == Kind::Folder { b'd' } else { b'f' };
        // One write, so that notes of others do not come between.
        let note = [&[mark], reserved.path.as_os_str().as_bytes(), b"\0", reserved.text.as_bytes(), b"\0"].concat();
        self.notes.write_all(&note)?;
        let made = match reserved.kind {
            Kind::Folder => std::fs::create_dir(&reserved.path),
            Kind::File => OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(&reserved.path)
                .and_then(|mut file| file.write_all(reserved.text.as_bytes())),
        };
        match made {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    /// Nothing happens while another sandbox relies on what was put there.
    pub fn release(&mut self) {
        if flock(&self.notes, FlockOperation::NonBlockingLockExclusive).is_err() {
            return;
        }
        let mut noted = Vec::new();
        if self.notes.rewind().and_then(|()| self.notes.read_to_end(&mut noted)).is_err() {
            return;
        }
        let mut fields = noted.split(|byte| *byte == 0);
        while let (Some([mark, path @ ..]), Some(text)) = (fields.next(), fields.next()) {
            remove_untouched(*mark, Path::new(OsStr::from_bytes(path)), text);
        }
        // What could not be removed is no longer as it was put there, and somebody's own.
        let _ = self.notes.set_len(0);
    }
}

fn remove_untouched(mark: u8, path: &Path, text: &[u8]) {
    let _ = match mark {
        b'd' => std::fs::remove_dir(path),
        _ if is_file_with(path, text) => std::fs::remove_file(path),
        _ => Ok(()),
    };
}

fn is_file_with(path: &Path, text: &[u8]) -> bool {
    let is_file = path.symlink_metadata().is_ok_and(|found| found.is_file() && found.len() == text.len() as u64);
    is_file && std::fs::read(path).is_ok_and(|found| found == text)
}
