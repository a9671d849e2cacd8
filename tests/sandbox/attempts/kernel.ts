import { type Attempt, NOT_BARE, python, refused, sh } from "./attempt.ts";

/** Calls that must answer EPERM, whatever is asked with them. */
const REFUSED_CALLS: readonly (readonly [
  name: string,
  call: string,
  ...words: readonly (string | number)[],
])[] = [
  ["mounts", "mount", 0, 'b"/tmp"', 0, 0, 0],
  ["takes a mount away", "umount2", 'b"/proc"', 0],
  ["changes the root by pivot_root", "pivot_root", 'b"/"', 'b"/"'],
  ["moves a mount", "move_mount", -1, 0, -1, 0, 0],
  ["copies a mount", "open_tree", -100, 'b"/"', 1],
  ["opens a file system", "fsopen", 'b"tmpfs"', 0],
  ["configures a file system", "fsconfig", -1, 0, 0, 0, 0],
  ["mounts an opened file system", "fsmount", -1, 0, 0],
  ["picks a file system", "fspick", -100, 'b"/"', 0],
  ["makes a mount writable", "mount_setattr", -100, 'b"/"', 0, 0, 0],
  ["enters a namespace", "setns", -1, 0],
  ["changes the root by chroot", "chroot", 'b"/tmp"'],
  ["loads a program into the kernel", "bpf", 0, 0, 0],
  ["reads keys", "keyctl", 0, -3, 0],
  ["adds a key", "add_key", 'b"user"', 'b"x"', 'b"y"', 1, -3],
  ["asks for a key", "request_key", 'b"user"', 'b"x"', 0, 0],
  ["sets up io_uring", "io_uring_setup", 1, 0],
  ["enters io_uring", "io_uring_enter", -1, 0, 0, 0, 0],
  ["registers with io_uring", "io_uring_register", -1, 0, 0, 0],
  ["handles faults of others", "userfaultfd", 1],
  ["counts events of the machine", "perf_event_open", 0, 0, -1, -1, 0],
  ["loads another kernel", "kexec_load", 0, 0, 0, 0],
  ["loads a module", "init_module", 0, 0, 'b""'],
  ["loads a module from a file", "finit_module", -1, 'b""', 0],
  ["removes a module", "delete_module", 'b"x"', 0],
  ["restarts the machine", "reboot", 0, 0, 0, 0],
  ["swaps to a file", "swapon", 'b"/tmp/x"', 0],
  ["stops swapping", "swapoff", 'b"/tmp/x"'],
  ["accounts processes", "acct", 'b"/tmp/x"'],
  ["sets quotas", "quotactl", 0, 0, 0, 0],
  ["reads the kernel's log", "syslog", 3, 0, 0],
  ["sets the clock", "clock_settime", 0, 0],
  ["sets the time of day", "settimeofday", 0, 0],
  ["names the machine", "sethostname", 'b"x"', 1],
  ["hangs up the terminal", "vhangup"],
  ["makes a user namespace", "unshare", 0x10000000],
  ["makes a mount namespace", "unshare", 0x00020000],
  ["makes a pid namespace", "unshare", 0x20000000],
  ["makes a network namespace", "unshare", 0x40000000],
  ["makes a time namespace", "unshare", 0x80],
  ["makes a user namespace with other high bits", "unshare", 0x100010000000],
  ["starts a process in a user namespace", "clone", 0x10000011, 0, 0, 0, 0],
];

const CALLS: readonly Attempt[] = REFUSED_CALLS.map(([name, call, ...words]) =>
  python(
    name,
    `
import errno
done = syscall(${[`"${call}"`, ...words].join(", ")})
if done == 0 and "${call}" == "clone": os._exit(0)
if done != -1 or ctypes.get_errno() != errno.EPERM: escaped()`,
    NOT_BARE,
  ),
);

/** The kernel, devices, rights, and the program of the sandbox itself. */
export const KERNEL = [
  ...CALLS,
  python(
    "starts a process with clone3",
    `
import errno
arguments = (ctypes.c_uint64 * 11)(0x10000000, 0, 0, 0, 17)
done = syscall("clone3", ctypes.byref(arguments), 88)
if done == 0: os._exit(0)
if done != -1 or ctypes.get_errno() != errno.ENOSYS: escaped()`,
    NOT_BARE,
  ),
  python(
    "calls by the numbers of x32",
    `
import errno
if os.uname().machine == "x86_64":
    libc.syscall.restype = ctypes.c_long
    if libc.syscall(0x40000000 + 165, 0, b"/tmp", 0, 0, 0) != -1 or ctypes.get_errno() not in (errno.ENOSYS, errno.EPERM): escaped()`,
    NOT_BARE,
  ),
  python(
    "calls as a program for 32 bits does",
    `
import mmap
if os.uname().machine != "x86_64": sys.exit(0)
if os.fork() == 0:
    # sethostname("", 0): mov eax, 74; xor ebx, ebx; xor ecx, ecx; int 0x80; ret
    code = mmap.mmap(-1, 4096, prot=7); code.write(bytes.fromhex("b84a00000031db31c9cd80c3"))
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    if call() != -1: print("ESCAPED", flush=True)
    os._exit(0)
os.wait()`,
    NOT_BARE,
  ),
  python(
    "asks for a filter that lets everything pass",
    `
import struct
instruction = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", 1, ctypes.addressof(instruction)))
libc.prctl(22, 2, program, 0, 0)
if syscall("unshare", 0x10000000) == 0: escaped()`,
    NOT_BARE,
  ),
  sh(
    "allows itself more by amplihack's own commands",
    `"$NODE" "$CLI" sandbox allow evil.example --yes && echo ESCAPED; "$NODE" "$CLI" autonomy set sandbox --yes && echo ESCAPED`,
    NOT_BARE,
  ),
  refused("makes a user namespace with unshare", "unshare -U true 2>/dev/null", NOT_BARE),
  refused("makes a mount namespace with unshare", "unshare -rm true 2>/dev/null", NOT_BARE),
  refused("takes the cover off a hidden folder", `umount "$HOME/.amplihack" 2>/dev/null`, NOT_BARE),
  refused("mounts the project writable again", "mount -o remount,bind,rw .git/config 2>/dev/null", NOT_BARE),
  refused("becomes root with su", "su -c true < /dev/null 2>/dev/null && [ $(id -u) != 0 ]", NOT_BARE),
  sh(
    "has capabilities",
    "grep -E '^Cap(Inh|Prm|Eff|Amb):' /proc/self/status | grep -qv 0000000000000000 && echo ESCAPED",
    NOT_BARE,
  ),
  sh("may gain privileges", "grep -q 'NoNewPrivs:.*0' /proc/self/status && echo ESCAPED"),
  sh("runs without a filter of calls", "grep -q 'Seccomp:.*[01]$' /proc/self/status && echo ESCAPED"),
  python(
    "becomes another user",
    `
os.setresuid(1234, 1234, 1234); escaped()`,
    NOT_BARE,
  ),
  python("sets its groups", `os.setgroups([0]); escaped()`, NOT_BARE),
  python(
    "makes a device",
    `
import stat
os.mknod("device", 0o666 | stat.S_IFBLK, os.makedev(8, 0)); escaped()`,
    NOT_BARE,
  ),
  ...[
    "sda",
    "vda",
    "nvme0n1",
    "mem",
    "kmsg",
    "fuse",
    "kvm",
    "net/tun",
    "loop-control",
    "uinput",
    "vhost-vsock",
    "snapshot",
  ].map(device =>
    python(`opens /dev/${device}`, `os.open("/dev/${device}", os.O_RDWR); escaped()`, NOT_BARE),
  ),
  ...[
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/modprobe",
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/drop_caches",
    "/proc/sysrq-trigger",
    "/proc/self/uid_map",
    "/sys/kernel/uevent_helper",
    "/sys/power/state",
    "/sys/fs/cgroup/cgroup.procs",
  ].map(file => python(`opens ${file} for writing`, `os.open("${file}", os.O_WRONLY); escaped()`, NOT_BARE)),
  sh(
    "makes a control group",
    "for f in /sys/fs/cgroup /sys/fs/cgroup/*; do mkdir $f/evil 2>/dev/null && echo ESCAPED; done",
    NOT_BARE,
  ),
  sh("dumps its memory", '[ "$(ulimit -H -c)" = 0 ] || echo ESCAPED', { worksBare: false }),
  sh(
    "lets the program run a policy of its own",
    `
mkdir -p fake/.amplihack/sandbox/policies && chmod -R 700 fake
sed 's/"hide":\\[[^]]*\\]/"hide":[]/' > fake/.amplihack/sandbox/policies/own.json <<'P'
{"version":1,"layers":["landlock","seccomp"],"environment":{"keep":["PATH","HOME"],"set":{}},"write":[],"readOnly":[],"reserve":[],"hide":[],"show":[],"absent":[],"noLinks":[],"overlay":[],"network":"on","leftovers":"kill","project":"x"}
P
chmod 600 fake/.amplihack/sandbox/policies/own.json
"$PROGRAM" --home "$PROJECT/fake/.amplihack" own -- cat "$HOME/.ssh/id_rsa"`,
    { worksBare: true },
  ),
  sh("reads policies", `cat "$HOME/.amplihack/sandbox/policies/"*.json && echo ESCAPED`, NOT_BARE),
  sh("removes policies", `rm "$HOME/.amplihack/sandbox/policies/"*.json && echo ESCAPED`, NOT_BARE),
  sh("ends the first process", "kill -9 1 2>/dev/null; sleep 0.1; [ -d /proc/1 ] || echo ESCAPED", NOT_BARE),
  sh(
    "sends signals to the first process until it ends",
    "for s in TERM INT HUP QUIT USR1 ABRT SEGV; do kill -$s 1; done 2>/dev/null; true",
    NOT_BARE,
  ),
];
