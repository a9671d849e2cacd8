import { type Attempt, NOT_BARE, OPEN_WITHOUT_VIEW, python, refused, sh } from "./attempt.ts";

/** Files of the kernel that belong to root and ask for no capability. */
const OF_KERNEL = [
  "/proc/sys/fs/binfmt_misc/register",
  "/proc/sys/kernel/randomize_va_space",
  "/proc/sys/net/ipv4/ip_forward",
  "/proc/irq/default_smp_affinity",
  "/proc/mtrr",
  "/proc/scsi/scsi",
  "/sys/devices/system/cpu/cpu1/online",
  "/sys/kernel/mm/transparent_hugepage/enabled",
  "/sys/class/net/lo/mtu",
  "/sys/fs/cgroup/release_agent",
  "/sys/fs/cgroup/cgroup.subtree_control",
  "/sys/kernel/debug/tracing/trace_marker",
  "/sys/block/vda/queue/scheduler",
  "/sys/module/kernel/parameters/panic",
];

/** Devices that show all files of a disk, or what is typed. */
const DEVICES = ["vda", "sda", "nvme0n1", "dm-0", "input/event0", "vcs1", "userfaultfd", "mem", "port"];

const ON_X64 = `
if os.uname().machine != "x86_64": sys.exit(0)`;

/** Rights that come with a descriptor, a child, a call in another guise. */
export const HANDED: readonly Attempt[] = [
  ...OF_KERNEL.map(file =>
    python(`opens ${file} to write`, `os.open("${file}", os.O_WRONLY); escaped()`, NOT_BARE),
  ),
  ...DEVICES.map(device =>
    python(`reads /dev/${device}`, `os.open("/dev/${device}", os.O_RDONLY); escaped()`, NOT_BARE),
  ),
  python(
    "hands a descriptor of the home to a child, by a socket",
    `
import socket, array
one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
at = os.open(HOME, os.O_PATH | os.O_DIRECTORY)
one.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [at]))])
if os.fork() == 0:
    _, got, _, _ = other.recvmsg(1, socket.CMSG_SPACE(4))
    f = int.from_bytes(got[0][2][:4], "little")
    print(os.read(os.open(".ssh/id_rsa", os.O_RDONLY, dir_fd=f), 99), flush=True); os._exit(0)
os.wait()`,
  ),
  python(
    "runs a program from memory that writes outside",
    `
f = os.memfd_create("x"); os.write(f, open("/bin/sh", "rb").read())
if os.fork() == 0: os.execve(f, ["sh", "-c", "echo x >> $OUT/file && echo ESCAPED"], os.environ)
os.wait()`,
  ),
  python(
    "lets a traced child make a call that is refused",
    `${ON_X64}
import signal
child = os.fork()
if child == 0:
    libc.ptrace(0, 0, 0, 0); os.kill(os.getpid(), signal.SIGSTOP); os.getppid(); os._exit(0)
os.waitpid(child, 0)
libc.ptrace.argtypes = [ctypes.c_long] * 4
for _ in range(400):
    if libc.ptrace(24, child, 0, 0) != 0: break
    _, status = os.waitpid(child, 0)
    if os.WIFEXITED(status): break
    libc.ptrace.restype = ctypes.c_long
    if libc.ptrace(3, child, 15 * 8, 0) == 110:
        libc.ptrace(6, child, 15 * 8, 272); libc.ptrace(6, child, 14 * 8, 0x10000000)
        libc.ptrace(24, child, 0, 0); os.waitpid(child, 0)
        if libc.ptrace(3, child, 10 * 8, 0) == 0: escaped()
        break
os.kill(child, 9)`,
    NOT_BARE,
  ),
  python(
    "traces a child that calls for a namespace by a thread",
    `
import threading
def call():
    if syscall("unshare", 0x10000000) == 0: escaped()
one = threading.Thread(target=call); one.start(); one.join()`,
    NOT_BARE,
  ),
  python(
    "lets the kernel signal a process outside",
    `
import fcntl, socket, time
one, other = socket.socketpair()
fcntl.fcntl(one, fcntl.F_SETOWN, int(os.environ["OUTSIDE_PID"])); fcntl.fcntl(one, 10, 9)
fcntl.fcntl(one, fcntl.F_SETFL, os.O_ASYNC | os.O_NONBLOCK); other.send(b"x"); time.sleep(0.1)`,
    NOT_BARE,
  ),
  python(
    "queues a signal to a process outside",
    `
number = {"x86_64": 129, "aarch64": 138}[os.uname().machine]
check(libc.syscall(number, int(os.environ["OUTSIDE_PID"]), 0, ctypes.create_string_buffer(128)))`,
    NOT_BARE,
  ),
  python(
    "writes into the memory of a process outside",
    `
class Part(ctypes.Structure): _fields_ = [("at", ctypes.c_void_p), ("length", ctypes.c_size_t)]
room = ctypes.create_string_buffer(9); mine, other = Part(ctypes.addressof(room), 9), Part(0x400000, 9)
import errno
done = libc.process_vm_writev(int(os.environ["OUTSIDE_PID"]), ctypes.byref(mine), 1, ctypes.byref(other), 1, 0)
if done != -1 or ctypes.get_errno() == errno.EFAULT: escaped()`,
  ),
  python(
    "compares what a process outside holds",
    `
number = {"x86_64": 312, "aarch64": 272}[os.uname().machine]
check(libc.syscall(number, os.getpid(), int(os.environ["OUTSIDE_PID"]), 1, 0, 0))`,
  ),
  python(
    "lowers the priority of a process outside at the disk",
    `
number = {"x86_64": 251, "aarch64": 30}[os.uname().machine]
check(libc.syscall(number, 1, int(os.environ["OUTSIDE_PID"]), (3 << 13)))`,
    { ...OPEN_WITHOUT_VIEW, worksBare: false },
  ),
  python(
    "moves the memory of a process outside",
    `
number = {"x86_64": 256, "aarch64": 238}[os.uname().machine]
check(libc.syscall(number, int(os.environ["OUTSIDE_PID"]), 64, ctypes.byref(ctypes.c_ulong(1)), ctypes.byref(ctypes.c_ulong(1))))`,
    NOT_BARE,
  ),
  python(
    "watches a whole file system",
    `
numbers = {"x86_64": (300, 301), "aarch64": (262, 263)}[os.uname().machine]
f = check(libc.syscall(numbers[0], 0x200, 0), proves=False)
check(libc.syscall(numbers[1], f, 0x101, ctypes.c_uint64(0x20), -100, b"/"))`,
    NOT_BARE,
  ),
  python(
    "adds a network device",
    `
import socket, struct
s = socket.socket(16, socket.SOCK_RAW, 0); s.settimeout(2)
name = struct.pack("HH", 9, 3) + b"esc0\\0\\0\\0\\0"
kind = struct.pack("HH", 9, 1) + b"dummy\\0\\0\\0"; info = struct.pack("HH", 4 + len(kind), 18) + kind
body = struct.pack("BBHiII", 0, 0, 0, 0, 0, 0) + name + info
s.send(struct.pack("IHHII", 16 + len(body), 16, 0x605, 1, 0) + body)
if struct.unpack("i", s.recv(9999)[16:20])[0] == 0: escaped()`,
    NOT_BARE,
  ),
  python(
    "tells everybody of a device that is none",
    `
import socket
s = socket.socket(16, socket.SOCK_RAW, 15); s.bind((0, 1)); s.sendto(b"add@/devices/x\\0ACTION=add\\0", (0, 1)); escaped()`,
    NOT_BARE,
  ),
  python(
    "writes to the audit log",
    `
import socket, struct
s = socket.socket(16, socket.SOCK_RAW, 9); s.settimeout(2)
s.send(struct.pack("IHHII", 20, 1005, 5, 1, 0) + b"evil")
if struct.unpack("i", s.recv(9999)[16:20])[0] == 0: escaped()`,
    NOT_BARE,
  ),
  python(
    "connects to this machine by ::1",
    `
import socket
s = socket.socket(socket.AF_INET6, socket.SOCK_STREAM); s.settimeout(2)
s.connect(("::1", PORT)); s.send(b"x"); print(s.recv(99))`,
    NOT_BARE,
  ),
  python(
    "connects to this machine by a name that leads to it",
    `
import socket
s = socket.create_connection((socket.gethostname(), PORT), 2); s.send(b"x"); print(s.recv(99))`,
    NOT_BARE,
  ),
  python(
    "asks for names by a socket with a path",
    `
import socket
for path in ["/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket", "/var/run/nscd/socket", "/run/avahi-daemon/socket"]:
    s = socket.socket(socket.AF_UNIX)
    try: s.connect(path); escaped()
    except OSError: pass`,
    NOT_BARE,
  ),
  python(
    "writes to the system's log",
    `
import socket
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.connect("/dev/log"); s.send(b"<13>x"); escaped()`,
    NOT_BARE,
  ),
  refused("asks the service manager to run something", "systemd-run --user true 2>/dev/null", NOT_BARE),
  refused(
    "schedules work",
    "(echo true | at now || echo '* * * * * true' | crontab -) 2>/dev/null",
    NOT_BARE,
  ),
  refused("copies to the clipboard", "(echo x | xclip || echo x | wl-copy) 2>/dev/null", NOT_BARE),
  sh(
    "reads what is below the view through a mount's own number",
    `for f in /proc/self/mountinfo; do grep -o ' /[^ ]*' $f; done | while read -r p; do cat "$p/../.ssh/id_rsa" "$p$HOME/.ssh/id_rsa"; done 2>/dev/null`,
  ),
  python(
    "leaves its folder by a descriptor from before",
    `
at = os.open(".", os.O_RDONLY); os.mkdir("deep"); os.chdir("deep"); os.rename("../deep", "../moved")
for _ in range(9): os.chdir("..")
print(open(HOME + "/.ssh/id_rsa").read())`,
  ),
  python(
    "keeps a capability for programs that it starts",
    `if libc.prctl(47, 2, 21, 0, 0) == 0: escaped()`,
    NOT_BARE,
  ),
  python(
    "takes its protection from core dumps off, and dumps",
    `
import resource
try: resource.setrlimit(resource.RLIMIT_CORE, (1 << 20, 1 << 20)); escaped()
except (ValueError, OSError): pass`,
    NOT_BARE,
  ),
];
