//! Standard input, output and error, on the descriptors themselves.

use crate::{clock, crash, errno, reply::Bytes, text::Text};
use alloc::vec;
use core::sync::atomic::{AtomicBool, Ordering::Relaxed};
use rquickjs::{Ctx, IntoJs, Object, Result, Value, function::Func};

const RETRY_MS: f64 = 2.0;
const FIRST_CHUNK: usize = 64 * 1024;
/// A caller that writes more than this, or nothing for this long, is not waited for.
const MAX_DRAINED: usize = 1024 * 1024 * 1024;
const DRAIN_PATIENCE_MS: i32 = 1_000;
static IS_INPUT_LEFT: AtomicBool = AtomicBool::new(false);

pub fn install<'js>(host: &Object<'js>) -> Result<()> {
    host.set("readInput", Func::from(read_input))?;
    host.set(
        "writeOutput",
        Func::from(|text: Text| {
            crash::note_answer();
            let failure = write_all(1, text.as_bytes()).map(errno::name);
            failure.or_else(|| is_null_device(1).then_some("discarded"))
        }),
    )?;
    host.set(
        "writeError",
        Func::from(|text: Text| {
            write_all(2, text.as_bytes());
        }),
    )?;
    host.set(
        "keepAnswer",
        Func::from(|stdout: Text, stderr: Text, code: i32| {
            crash::keep_answer(stdout.as_bytes(), stderr.as_bytes(), code);
        }),
    )?;
    host.set(
        "isTerminal",
        // SAFETY: isatty only looks at the descriptor.
        Func::from(|descriptor: i32| unsafe { libc::isatty(descriptor) } == 1),
    )
}

/// Whether a descriptor leads nowhere: also what the runtime opens in the place of one that was closed.
fn is_null_device(descriptor: i32) -> bool {
    // SAFETY: both calls only fill the structure that they are given.
    unsafe {
        let mut found: libc::stat = core::mem::zeroed();
        let mut null: libc::stat = core::mem::zeroed();
        libc::fstat(descriptor, &mut found) == 0
            && found.st_mode & libc::S_IFMT == libc::S_IFCHR
            && libc::stat(c"/dev/null".as_ptr(), &mut null) == 0
            && found.st_rdev == null.st_rdev
    }
}

/// Bytes, or the errno name; `EFBIG` when there is more than the limit.
fn read_input<'js>(ctx: Ctx<'js>, limit: f64) -> Result<Value<'js>> {
    let ctx = &ctx;
    let limit = limit as usize;
    let mut buffer = vec![0; FIRST_CHUNK.min(limit + 1)];
    let mut length = 0;
    loop {
        if length == buffer.len() {
            // There may be no memory for more: that there is a payload is known then.
            if length == FIRST_CHUNK {
                crash::keep_input(&buffer);
            }
            buffer.resize((buffer.len() * 4).min(limit + 1), 0);
        }
        let room = &mut buffer[length..];
        // SAFETY: `room` is valid for writes of its length.
        let count = unsafe { libc::read(0, room.as_mut_ptr().cast(), room.len()) };
        if count < 0 {
            match errno::last() {
                libc::EBADF if crate::interrupt::is_terminated() => return errno::name(libc::EINTR).into_js(ctx),
                libc::EINTR if !crate::interrupt::is_requested() => continue,
                libc::EAGAIN if !crate::interrupt::is_requested() => {
                    clock::sleep_ms(RETRY_MS);
                    continue;
                }
                code => return errno::name(code).into_js(ctx),
            }
        }
        if count == 0 {
            buffer.truncate(length);
            crash::keep_input(&buffer);
            return Bytes(buffer).into_js(ctx);
        }
        length += count as usize;
        if length > limit {
            IS_INPUT_LEFT.store(true, Relaxed);
            return "EFBIG".into_js(ctx);
        }
    }
}

/// Takes the rest of an input that was too large: a caller whose write breaks off might not read the answer.
pub fn drain() {
    if !IS_INPUT_LEFT.load(Relaxed) {
        return;
    }
    crate::interrupt::clear_alarm();
    let mut buffer = vec![0_u8; FIRST_CHUNK];
    let mut drained = 0;
    while drained < MAX_DRAINED {
        let mut input = libc::pollfd { fd: 0, events: libc::POLLIN, revents: 0 };
        // SAFETY: both are valid for writes of their lengths.
        let count = unsafe {
            if libc::poll(&mut input, 1, DRAIN_PATIENCE_MS) <= 0 {
                return;
            }
            libc::read(0, buffer.as_mut_ptr().cast(), buffer.len())
        };
        if count <= 0 {
            return;
        }
        drained += count as usize;
    }
}

/// None when everything was written, else the errno.
pub fn write_all(descriptor: i32, bytes: &[u8]) -> Option<i32> {
    let mut rest = bytes;
    while !rest.is_empty() {
        // SAFETY: `rest` is valid for reads of its length.
        let count = unsafe { libc::write(descriptor, rest.as_ptr().cast(), rest.len()) };
        if count >= 0 {
            rest = &rest[count as usize..];
            continue;
        }
        match errno::last() {
            libc::EINTR => {}
            libc::EAGAIN => clock::sleep_ms(RETRY_MS),
            code => return Some(code),
        }
    }
    None
}
