//! Starting a child in a group of its own.

use crate::{
    errno::{Answer, check, last, retry},
    files::File,
    outside::environ,
    text::to_c,
};
use alloc::{ffi::CString, string::String, vec::Vec};
use core::{
    ffi::{c_char, c_int, c_void},
    ptr,
};

pub struct Program<'a> {
    pub argv: &'a [String],
    /// `NAME=value`; the program is looked for on the `PATH` among them.
    pub env: &'a [String],
    pub cwd: &'a str,
}

pub struct Child {
    id: i32,
    is_over: bool,
    pub stdin: Option<File>,
    pub stdout: Option<File>,
    pub stderr: Option<File>,
}

pub enum Status {
    Exit(i32),
    Signal(i32),
}

impl Program<'_> {
    /// The errno when it cannot be started; its pipes do not block.
    pub fn start(&self) -> Answer<Child> {
        if self.argv.is_empty() {
            return Err(libc::EINVAL);
        }
        // Everything is made before the fork: the child may not allocate.
        let (words, argv) = list_of(self.argv)?;
        let (values, env) = list_of(self.env)?;
        let cwd = to_c(self.cwd)?;
        let [(stdin, input), (output, stdout), (errors, stderr), (told, failure)] =
            [pipe()?, pipe()?, pipe()?, pipe()?].map(|(from, to)| (from, to));
        // SAFETY: the process has one thread; until it runs another program the child calls only what is safe
        // after a fork.
        unsafe {
            let start = Start { pipes: [&stdin, &stdout, &stderr], failure: &failure, cwd: &cwd, argv: &argv, env: &env };
            let id = split(&start)?;
            drop((stdin, stdout, stderr, failure, words, values));
            let mut code = 0_i32;
            let length = retry(|| libc::read(told.0, ptr::from_mut(&mut code).cast(), size_of::<i32>()));
            if length == Ok(size_of::<i32>()) {
                libc::waitpid(id, ptr::null_mut(), 0);
                return Err(code);
            }
            for file in [&input, &output, &errors] {
                let flags = libc::fcntl(file.0, libc::F_GETFL);
                libc::fcntl(file.0, libc::F_SETFL, flags | libc::O_NONBLOCK);
            }
            Ok(Child { id, is_over: false, stdin: Some(input), stdout: Some(output), stderr: Some(errors) })
        }
    }
}

struct Start<'a> {
    pipes: [&'a File; 3],
    failure: &'a File,
    cwd: &'a CString,
    argv: &'a [*const c_char],
    env: &'a [*const c_char],
}

/// Starts `child_main` in a child that borrows this process's memory, which waits until the other program runs: no page
/// of it is copied, now or when it is next written to.
#[cfg(target_os = "linux")]
unsafe fn split(start: &Start) -> Answer<i32> {
    const STACK: usize = 64 * 1024;
    let mut stack = Vec::<u128>::with_capacity(STACK / size_of::<u128>());
    let top = stack.as_mut_ptr_range().start.wrapping_byte_add(STACK);
    // SAFETY: no handler of signals runs in the child before it is another program, what it does to the environment is
    // taken back, and its stack lives until then.
    unsafe {
        let (mut all, mut before) = (core::mem::zeroed(), core::mem::zeroed());
        libc::sigfillset(&mut all);
        libc::sigprocmask(libc::SIG_SETMASK, &all, &mut before);
        let environment = environ;
        let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
        let id = check(libc::clone(child_main, top.cast(), flags, ptr::from_ref(start).cast_mut().cast()));
        environ = environment;
        libc::sigprocmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        id
    }
}

#[cfg(not(target_os = "linux"))]
unsafe fn split(start: &Start) -> Answer<i32> {
    // SAFETY: the process has one thread.
    unsafe {
        let id = check(libc::fork())?;
        if id == 0 {
            child_main(ptr::from_ref(start).cast_mut().cast());
        }
        Ok(id)
    }
}

/// Only comes back to tell, and to end.
extern "C" fn child_main(start: *mut c_void) -> c_int {
    // SAFETY: `split` was given it and waits, or it is the child's own copy.
    unsafe {
        let start = &*start.cast::<Start<'_>>();
        let code = become_program(start);
        libc::write(start.failure.0, ptr::from_ref(&code).cast(), size_of::<i32>());
        libc::_exit(127)
    }
}

/// The errno, if the program could not be run.
unsafe fn become_program(Start { pipes, cwd, argv, env, .. }: &Start) -> i32 {
    // SAFETY: all of it is safe after a fork, and the lists end with a null.
    unsafe {
        for (place, file) in (0..).zip(pipes) {
            if libc::dup2(file.0, place) < 0 {
                return last();
            }
        }
        for signal in [libc::SIGPIPE, libc::SIGTERM, libc::SIGALRM, libc::SIGXFSZ] {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none = core::mem::zeroed();
        libc::sigemptyset(&mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &none, ptr::null_mut());
        if libc::chdir(cwd.as_ptr()) < 0 || libc::setsid() < 0 {
            return last();
        }
        environ = env.as_ptr();
        libc::execvp(argv[0], argv.as_ptr());
        last()
    }
}

type List = (Vec<CString>, Vec<*const c_char>);

/// The words, and their addresses with a null at the end.
fn list_of(words: &[String]) -> Answer<List> {
    let words = words.iter().map(|word| to_c(word.as_str())).collect::<Answer<Vec<_>>>()?;
    let addresses = words.iter().map(|word| word.as_ptr()).chain([ptr::null()]).collect();
    Ok((words, addresses))
}

/// Where to read and where to write, on descriptors that a closed standard stream would not have: a child puts
/// its own streams there.
fn pipe() -> Answer<(File, File)> {
    let mut ends = [0; 2];
    // SAFETY: the call fills in both ends; the copies are closed in other programs.
    unsafe {
        check(libc::pipe(ends.as_mut_ptr()))?;
        let files = ends.map(File);
        let moved = |file: &File| check(libc::fcntl(file.0, libc::F_DUPFD_CLOEXEC, 3)).map(File);
        Ok((moved(&files[0])?, moved(&files[1])?))
    }
}

impl Child {
    /// How it ended, once it has.
    pub fn look(&mut self) -> Option<Status> {
        let mut status = 0;
        // SAFETY: the child is ours and was not waited for yet.
        let answer = if self.is_over { 0 } else { unsafe { libc::waitpid(self.id, &mut status, libc::WNOHANG) } };
        if answer != self.id {
            return None;
        }
        self.is_over = true;
        Some(if libc::WIFSIGNALED(status) {
            Status::Signal(libc::WTERMSIG(status))
        } else {
            Status::Exit(libc::WEXITSTATUS(status))
        })
    }

    pub fn signal_group(&self, signal: i32) {
        if self.id > 1 {
            // SAFETY: the child made a group of its own and was waited for by nobody else.
            unsafe { libc::kill(-self.id, signal) };
        }
    }
}
