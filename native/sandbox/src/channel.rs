//! Messages between this program outside and its first process inside.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};

use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};

pub enum Message {
    /// To the inside: its numbers are mapped, and it may begin.
    Begin,
    /// To the inside: send this signal to the command.
    Signal(i32),
    /// To the outside: a socket at which the command looks for the proxy, or for a port of the machine.
    Listener(OwnedFd),
    /// To the outside: how the command ended, and whether processes of it go on.
    Ended { status: i32, goes_on: bool },
    /// To the outside: the command did not start, and why was said.
    Failed,
    /// To the outside: somebody replaced a file that was protected, so everything was stopped.
    Replaced,
}

pub fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

pub fn send(channel: &impl AsFd, message: Message) -> io::Result<()> {
    let (kind, value, flag): (u8, i32, u8) = match &message {
        Message::Begin => (0, 0, 0),
        Message::Signal(signal) => (1, *signal, 0),
        Message::Listener(_) => (2, 0, 0),
        Message::Ended { status, goes_on } => (3, *status, u8::from(*goes_on)),
        Message::Failed => (4, 0, 0),
        Message::Replaced => (5, 0, 0),
    };
    let mut bytes = [kind, 0, 0, 0, 0, flag];
    bytes[1..5].copy_from_slice(&value.to_ne_bytes());
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    let sent;
    if let Message::Listener(socket) = &message {
        sent = [socket.as_fd()];
        ancillary.push(SendAncillaryMessage::ScmRights(&sent));
    }
    sendmsg(channel, &[IoSlice::new(&bytes)], &mut ancillary, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// `None`: the other side is gone.
pub fn receive(channel: &impl AsFd) -> io::Result<Option<Message>> {
    let mut bytes = [0_u8; 6];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let got = loop {
        match recvmsg(channel, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, RecvFlags::CMSG_CLOEXEC) {
            Err(rustix::io::Errno::INTR) => {}
            Err(rustix::io::Errno::CONNRESET) => return Ok(None),
            got => break got?,
        }
    };
    if got.bytes == 0 {
        return Ok(None);
    }
    let value = i32::from_ne_bytes([bytes[1], bytes[2], bytes[3], bytes[4]]);
    Ok(match bytes[0] {
        0 => Some(Message::Begin),
        1 => Some(Message::Signal(value)),
        2 => ancillary.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next().map(Message::Listener),
            _ => None,
        }),
        3 => Some(Message::Ended { status: value, goes_on: bytes[5] != 0 }),
        4 => Some(Message::Failed),
        _ => Some(Message::Replaced),
    })
}
