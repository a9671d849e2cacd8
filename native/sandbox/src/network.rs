//! The command's own network: its loopback device, and the socket behind which a proxy waits outside.

use std::ffi::CString;
use std::io;
use std::net::{Ipv4Addr, SocketAddrV4};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};

use crate::failure::{Because, Part, Result};
use crate::namespaces::{Side, fork};
use crate::policy::Proxy;

pub fn start_loopback() -> Result<()> {
    let start = || -> io::Result<()> {
        let socket = socket_with(AddressFamily::INET, SocketType::DGRAM, SocketFlags::CLOEXEC, None)?;
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        let done = unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS as _, &request) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    start().because(Part::Network, "a loopback device of its own")
}

pub fn listen_for_proxy(port: u16) -> Result<OwnedFd> {
    let open = || -> io::Result<OwnedFd> {
        let socket = socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::CLOEXEC, None)?;
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, port))?;
        listen(&socket, 128)?;
        Ok(socket)
    };
    open().because(Part::Network, format!("port {port} for the proxy"))
}

/// A process that becomes the proxy at the first connection, and ends when `life` does. What the proxy prints is read
/// from the returned descriptor.
pub fn await_connection(proxy: &Proxy, listeners: Vec<OwnedFd>, life: OwnedFd) -> io::Result<OwnedFd> {
    let (said, saying) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    if let Side::Child = fork(0)? {
        // Not in the group of the terminal: an interrupt is the command's, which may still use the network.
        let _ = rustix::process::setsid();
        if wait_for(&listeners, &life) {
            let error = become_proxy(proxy, &listeners, &life, &saying);
            eprintln!("amplihack-sandbox: the proxy did not start: {error}");
        }
        unsafe { libc::_exit(1) };
    }
    Ok(said)
}

fn wait_for(listeners: &[OwnedFd], life: &OwnedFd) -> bool {
    let mut watched = vec![PollFd::new(life, PollFlags::empty())];
    watched.extend(listeners.iter().map(|listener| PollFd::new(listener, PollFlags::IN)));
    loop {
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => {}
            Err(_) => return false,
            Ok(_) => return watched[0].revents().is_empty(),
        }
    }
}

/// Nothing of the caller's environment reaches it: a variable must not choose what runs outside.
fn become_proxy(proxy: &Proxy, listeners: &[OwnedFd], life: &OwnedFd, saying: &OwnedFd) -> io::Error {
    let text = |words: Vec<String>| words.into_iter().map(CString::new).collect::<std::result::Result<Vec<_>, _>>();
    let environment = proxy.environment.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let (Ok(words), Ok(environment)) = (text(proxy.command.clone()), text(environment)) else {
        return io::Error::from(io::ErrorKind::InvalidInput);
    };
    let pointers = |list: &[CString]| list.iter().map(|one| one.as_ptr()).chain([std::ptr::null()]).collect::<Vec<_>>();
    // Moved out of the way first, so that no number is taken before it was read.
    let lowest = listeners.len() as RawFd + 10;
    let above = |file: &OwnedFd| unsafe { libc::fcntl(file.as_raw_fd(), libc::F_DUPFD_CLOEXEC, lowest) };
    // The proxy's own listener, what ends it, and then the ports.
    let wanted = listeners[..1].iter().chain([life]).chain(&listeners[1..]).map(above).zip(3..);
    let moved: Vec<(RawFd, RawFd)> = [(above(saying), 1)].into_iter().chain(wanted).collect();
    for (from, to) in moved {
        if unsafe { libc::dup2(from, to) } < 0 {
            return io::Error::last_os_error();
        }
    }
    let (words, environment) = ((pointers(&words), words), (pointers(&environment), environment));
    unsafe {
        let nothing = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
        libc::dup2(nothing, 0);
        libc::dup2(nothing, 2);
        libc::execve(words.0[0], words.0.as_ptr(), environment.0.as_ptr());
    }
    io::Error::last_os_error()
}
