import { NOT_BARE, OPEN_WITHOUT_VIEW, python, refused, sh } from "./attempt.ts";

const CONNECT = (family: string, address: string, type = "SOCK_STREAM") => `
import socket
s = socket.socket(socket.${family}, socket.${type}); s.settimeout(2)
s.connect(${address}); s.send(b"x"); print(s.recv(99))`;

/** Sockets, networks, processes and terminals. */
export const REACH = [
  python("connects to a socket in the home", CONNECT("AF_UNIX", `HOME + "/agent.sock"`)),
  python("connects to a socket in a temporary folder", CONNECT("AF_UNIX", `os.environ["TEMP_SOCKET"]`)),
  python(
    "connects to a socket through a link",
    `os.symlink(HOME + "/agent.sock", "s")\n${CONNECT("AF_UNIX", `"s"`)}`,
  ),
  python("connects to a socket deep in the home", CONNECT("AF_UNIX", `HOME + "/a/b/c/d/deep.sock"`)),
  python("connects to a socket in a cache", CONNECT("AF_UNIX", `HOME + "/.cache/git/credential/socket"`)),
  python(
    "connects to a socket through its folder's descriptor",
    `f = os.open(HOME + "/a/b/c/d", os.O_PATH)\n${CONNECT("AF_UNIX", `"/proc/self/fd/%d/deep.sock" % f`)}`,
  ),
  python("connects to an abstract socket", CONNECT("AF_UNIX", `"\\0" + os.environ["ABSTRACT"]`)),
  python("connects to this machine", CONNECT("AF_INET", `("127.0.0.1", PORT)`)),
  python("connects to this machine by another of its addresses", CONNECT("AF_INET", `("127.3.2.1", PORT)`)),
  python("connects to 0.0.0.0", CONNECT("AF_INET", `("0.0.0.0", PORT)`)),
  python("connects to this machine by its name", CONNECT("AF_INET", `("localhost", PORT)`)),
  python("connects to this machine by IPv6", CONNECT("AF_INET6", `("::ffff:127.0.0.1", PORT)`)),
  python("sends a datagram to this machine", CONNECT("AF_INET", `("127.0.0.1", PORT)`, "SOCK_DGRAM")),
  python(
    "connects without waiting, by sendto",
    `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(2)
s.sendto(b"x", ("127.0.0.1", PORT)); print(s.recvfrom(99))`,
  ),
  python(
    "opens a fast connection",
    `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_STREAM); s.settimeout(2)
s.sendto(b"x", 0x20000000, ("127.0.0.1", PORT)); print(s.recv(99))`,
    NOT_BARE,
  ),
  sh("connects with bash", `bash -c 'exec 3<>/dev/tcp/127.0.0.1/'$PORT'; echo x >&3; head -c 99 <&3'`),
  sh("connects with curl", `curl -s --max-time 2 --http0.9 --noproxy '*' http://127.0.0.1:$PORT/`),
  sh("fetches with git", `git ls-remote git://127.0.0.1:$PORT/x 2>&1 | grep -v refused`, NOT_BARE),
  python(
    "lists sockets of the machine by netlink",
    `
import socket, struct
s = socket.socket(16, socket.SOCK_DGRAM, 4); s.settimeout(2)
s.send(struct.pack("IHHII", 40, 20, 0x301, 1, 0) + struct.pack("BBHIIIII", 1, 0, 0, 0xffffffff, 0, 1, 0, 0))
if os.environ["ABSTRACT"].encode() in s.recv(1 << 20): escaped()`,
    NOT_BARE,
  ),
  python(
    "sends to everybody on the network",
    `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
s.sendto(b"x", ("255.255.255.255", PORT)); escaped()`,
    NOT_BARE,
  ),
  python(
    "sends to a group of IPv6",
    `
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
for name in os.listdir("/sys/class/net"):
    if name == "lo": continue
    try: s.sendto(b"x", ("ff02::1", PORT, 0, socket.if_nametoindex(name))); escaped()
    except OSError: pass`,
    NOT_BARE,
  ),
  python(
    "asks a name server",
    `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.settimeout(1)
s.connect(("192.0.2.1", 53)); s.send(b"x"); escaped()`,
    NOT_BARE,
  ),
  python(
    "opens a raw socket",
    `import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP); escaped()`,
    NOT_BARE,
  ),
  python(
    "opens a packet socket",
    `import socket; socket.socket(socket.AF_PACKET, socket.SOCK_RAW); escaped()`,
    NOT_BARE,
  ),
  ...[
    ["vsock", 40],
    ["the kernel's cryptography", 38],
    ["bluetooth", 31],
    ["keys of IPsec", 15],
    ["XDP", 44],
    ["TIPC", 30],
    ["CAN", 29],
  ].map(([name, family]) =>
    python(
      `opens a socket of ${name}`,
      `
import socket, errno
try: socket.socket(${family}, socket.SOCK_RAW if ${family} in (15, 29, 44) else socket.SOCK_SEQPACKET if ${family} == 38 else socket.SOCK_STREAM)
except OSError as error:
    if error.errno == errno.EPERM: raise
escaped()`,
      NOT_BARE,
    ),
  ),
  refused("asks whether a process outside is there", "kill -0 $OUTSIDE_PID"),
  sh("ends a process outside", "kill -9 $OUTSIDE_PID && echo ESCAPED", NOT_BARE),
  sh(
    "ends all processes",
    "(trap '' TERM; kill -TERM -1) && sleep 0.1; kill -0 $OUTSIDE_PID 2>/dev/null && echo ESCAPED",
    NOT_BARE,
  ),
  python(
    "signals by a descriptor of a process",
    `
f = check(syscall("pidfd_open", int(os.environ["OUTSIDE_PID"]), 0), proves=False)
check(syscall("pidfd_send_signal", f, 0, 0, 0))`,
  ),
  python(
    "lowers the priority of a process outside",
    `os.setpriority(os.PRIO_PROCESS, int(os.environ["OUTSIDE_PID"]), 19); escaped()`,
    { ...OPEN_WITHOUT_VIEW, worksBare: false },
  ),
  python(
    "limits a process outside",
    `
import resource
resource.prlimit(int(os.environ["OUTSIDE_PID"]), resource.RLIMIT_CORE, (0, 0)); escaped()`,
    OPEN_WITHOUT_VIEW,
  ),
  sh(
    "offers a process outside to the memory killer",
    "echo 1000 > /proc/$OUTSIDE_PID/oom_score_adj && echo ESCAPED",
  ),
  python(
    "types into the terminal",
    `
import fcntl, errno
try: fcntl.ioctl(0, 0x5412, b"x")
except OSError as error:
    if error.errno == errno.EPERM: raise
escaped()`,
  ),
  python(
    "types into the terminal with other high bits",
    `
import errno
if syscall("ioctl", 0, 0x100005412, b"x") == -1 and ctypes.get_errno() != errno.EPERM: escaped()`,
  ),
  python(
    "asks the console for its screen",
    `
import fcntl, errno
try: fcntl.ioctl(0, 0x541C, b"x")
except OSError as error:
    if error.errno == errno.EPERM: raise
escaped()`,
  ),
  ...[
    ["changes what a key types", 0x4b47],
    ["changes the text of a function key", 0x4b49],
    ["changes what two keys make", 0x4b4b],
    ["changes the code of a key", 0x4b4d],
    ["takes another driver for the terminal", 0x5423],
  ].map(([name, request]) =>
    python(
      `${name}`,
      `
import fcntl, errno
try: fcntl.ioctl(0, ${request}, b"x" * 600)
except OSError as error:
    if error.errno == errno.EPERM: raise
escaped()`,
    ),
  ),
  python(
    "schedules a process outside",
    `os.sched_setaffinity(int(os.environ["OUTSIDE_PID"]), {0}); escaped()`,
    // Root's own processes have capabilities, and nobody without them may do it.
    { ...OPEN_WITHOUT_VIEW, worksBare: false },
  ),
  sh(
    "writes to other terminals",
    "for t in /dev/pts/[0-9]* /dev/tty[0-9]*; do echo x > $t && echo ESCAPED; done 2>/dev/null",
    { worksBare: false, open: ["without namespaces"] },
  ),
  python(
    "reads shared memory of System V",
    `
libc.shmat.restype = ctypes.c_void_p
at = libc.shmat(int(os.environ["SHM_ID"]), None, 0o10000)
if at != ctypes.c_void_p(-1).value: print(ctypes.string_at(at, 64))`,
    { worksBare: false, open: ["without namespaces"] },
  ),
];
