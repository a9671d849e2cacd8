//! `--check`: which layers work here, each tried for real.

use std::fs::Permissions;
use std::io::{Read, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::process::{WaitOptions, waitpid};
use serde_json::{Map, Value, json};

use crate::access;
use crate::calls::restrict_calls;
use crate::failure::{Because, Part, Result, fail};
use crate::namespaces::{Side, flags, fork, map_ids};
use crate::network::start_loopback;
use crate::policy::Policy;
use crate::privileges::drop_privileges;
use crate::view::build_view;

/// The overlay is tried in `folder`, where the changes of a try would go.
pub fn check(folder: Option<&Path>) -> String {
    let mut found = Map::new();
    let mut note = |name: &str, tried: Result<()>| {
        let answer = match tried {
            Ok(()) => json!({ "works": true }),
            Err(failure) => json!({ "works": false, "reason": failure.reason }),
        };
        found.insert(name.to_owned(), answer);
    };
    note("namespaces", attempt(flags(false), || build_view(&minimal(json!({}))).map(drop)));
    note("network", attempt(flags(true), start_loopback));
    note("seccomp", attempt(0, try_seccomp));
    note("landlock", attempt(0, || drop_privileges().and_then(|()| access::restrict_access(&minimal(json!({}))))));
    if let Some(folder) = folder {
        note("overlay", try_overlay(folder));
    }
    found.insert("landlockVersion".to_owned(), json!(access::version()));
    Value::Object(found).to_string()
}

fn minimal(more: Value) -> Policy {
    let mut policy = json!({
        "version": 1, "layers": ["namespaces", "landlock", "seccomp"], "environment": { "keep": [], "set": {} },
        "write": [], "readOnly": [], "reserve": [], "hide": [], "show": [], "absent": [], "noLinks": [], "overlay": [], "network": "off",
        "leftovers": "kill", "project": "check",
    });
    if let (Some(policy), Value::Object(more)) = (policy.as_object_mut(), more) {
        policy.extend(more);
    }
    serde_json::from_value(policy).expect("this text is a policy")
}

fn try_seccomp() -> Result<()> {
    drop_privileges()?;
    restrict_calls(&minimal(json!({})))?;
    match unsafe { libc::unshare(libc::CLONE_NEWUSER) } {
        0 => fail(Part::Seccomp, "a call that it refuses was still possible"),
        _ => Ok(()),
    }
}

fn try_overlay(folder: &Path) -> Result<()> {
    let place = folder.join(format!("check-{}", std::process::id()));
    let [lower, upper, work] = ["lower", "upper", "work"].map(|name| place.join(name));
    let tried = [&lower, &upper, &work].iter().try_for_each(std::fs::create_dir_all);
    let tried = tried.because(Part::Files, place.display()).and_then(|()| {
        let policy = minimal(json!({ "overlay": [{ "path": lower, "upper": upper, "work": work }] }));
        attempt(flags(false), || {
            build_view(&policy)?;
            std::fs::write(lower.join("file"), "text").because(Part::Files, "a change that is caught")
        })
    });
    let is_caught = upper.join("file").exists() && !lower.join("file").exists();
    // The kernel left a folder there that nobody may enter.
    let _ = std::fs::set_permissions(work.join("work"), Permissions::from_mode(0o700));
    let removed = std::fs::remove_dir_all(&place);
    tried?;
    removed.because(Part::Files, place.display())?;
    if is_caught { Ok(()) } else { fail(Part::Files, "a change was not caught") }
}

/// In a process of its own, with these namespaces.
fn attempt(flags: i32, try_it: impl FnOnce() -> Result<()>) -> Result<()> {
    let part = Part::Namespaces;
    let pipe = || rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC).because(part, "a pipe");
    let ((said, saying), (begin, beginning)) = (pipe()?, pipe()?);
    let child = match fork(flags).because(part, "making them")? {
        Side::Parent(child) => child,
        Side::Child => {
            drop((said, beginning));
            let reason = tell(begin, try_it);
            let _ = std::fs::File::from(saying).write_all(reason.as_bytes());
            unsafe { libc::_exit(0) }
        }
    };
    drop((saying, begin));
    let mapped = if flags == 0 { Ok(()) } else { map_ids(child) };
    drop(beginning);
    let mut text = String::new();
    let read = std::fs::File::from(said).read_to_string(&mut text);
    let ended = waitpid(Some(child), WaitOptions::empty());
    mapped?;
    match (read, ended, text.strip_prefix("tried")) {
        (Ok(_), Ok(Some(_)), Some("")) => Ok(()),
        (_, _, Some(reason)) => fail(part, reason.trim()),
        _ => fail(part, "the attempt ended early"),
    }
}

fn tell(begin: OwnedFd, try_it: impl FnOnce() -> Result<()>) -> String {
    // Waits until its numbers are mapped.
    let mut nothing = [0_u8; 1];
    unsafe { libc::read(begin.as_raw_fd(), nothing.as_mut_ptr().cast(), 1) };
    match try_it() {
        Ok(()) => "tried".to_owned(),
        Err(failure) => format!("tried {}", failure.reason),
    }
}
