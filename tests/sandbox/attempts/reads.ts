import { SECRET_VARIABLES } from "../run-attempt.ts";
import { SECRETS_IN_HOME, TOKEN_IN_CACHE } from "../secrets-in-home.ts";
import { NOT_BARE, OPEN_WITHOUT_VIEW, python, sh } from "./attempt.ts";

const FIRST_PROCESS = { worksBare: false, open: ["bwrap"] } as const;

/** Contents that are nobody's business, and other processes. */
export const READS = [
  ...SECRETS_IN_HOME.map(file => sh(`reads ~/${file}`, `cat "$HOME/${file}"`)),
  sh("reads a token in a cache", `cat "$HOME/${TOKEN_IN_CACHE}"`, OPEN_WITHOUT_VIEW),
  sh("reads a private key in the project", "cat deploy.key", OPEN_WITHOUT_VIEW),
  sh("reads through a link", `ln -s "$HOME/.ssh/id_rsa" key && cat key`),
  sh("reads through a link to the folder", `ln -s "$HOME/.ssh" keys && cat keys/id_rsa`),
  sh("reads through a hard link", `ln "$HOME/.ssh/id_rsa" key && cat key`),
  sh("reads through ..", "cat ../.ssh/id_rsa"),
  sh("reads through /proc/self/root", `cat "/proc/self/root$HOME/.ssh/id_rsa"`),
  sh("reads through /proc/1/root", `cat "/proc/1/root$HOME/.ssh/id_rsa"`, NOT_BARE),
  sh("reads through /proc/self/cwd", "cat /proc/self/cwd/../.ssh/id_rsa"),
  sh("copies the home", `cp -r "$HOME/.ssh" copy; cat copy/id_rsa`),
  sh("moves the folder of keys", `mv "$HOME/.ssh" keys; cat keys/id_rsa`),
  sh("packs the home", `tar cf - "$HOME/.ssh" "$HOME/.aws" | cat`),
  sh("searches the home", `grep -rh "secret" "$HOME/.ssh" "$HOME/.aws" "$HOME/.amplihack"`),
  sh("runs a secret as a script", `sh "$HOME/.aws/credentials" 2>&1`),
  sh(
    "names a secret as git's configuration",
    `GIT_CONFIG_GLOBAL="$HOME/.git-credentials" git config --list 2>&1; git diff --no-index /dev/null "$HOME/.netrc"`,
  ),
  python(
    "opens from a descriptor of the home",
    `at = os.open(HOME, os.O_RDONLY); print(os.read(os.open(".ssh/id_rsa", os.O_RDONLY, dir_fd=at), 99))`,
  ),
  python(
    "maps a secret into memory",
    `import mmap; f = os.open(HOME + "/.ssh/id_rsa", os.O_RDONLY); print(mmap.mmap(f, 0, prot=mmap.PROT_READ)[:])`,
  ),
  python(
    "sends a secret with sendfile",
    `f = os.open(HOME + "/.ssh/id_rsa", os.O_RDONLY); os.sendfile(1, f, 0, 99)`,
  ),
  python(
    "opens by a handle",
    `
handle = ctypes.create_string_buffer(160); handle[0:4] = (128).to_bytes(4, "little")
at = ctypes.c_int()
check(syscall("name_to_handle_at", -100, b"/", handle, ctypes.byref(at), 0), proves=False)
check(syscall("open_by_handle_at", os.open("/", os.O_RDONLY), handle, 0))`,
    NOT_BARE,
  ),
  sh("reads through the folder of the first process", "cat /proc/1/cwd/../.ssh/id_rsa", NOT_BARE),
  sh("reads through a thread", `cat "/proc/thread-self/root$HOME/.ssh/id_rsa"`),
  sh(
    "reads through every process that it sees",
    `for p in /proc/[0-9]*; do cat "$p/root$HOME/.ssh/id_rsa" "$p/cwd/../.ssh/id_rsa"; done 2>/dev/null`,
  ),
  python(
    "opens a secret without rights, then with them",
    `
f = os.open(HOME + "/.ssh/id_rsa", os.O_PATH); print(os.read(os.open("/proc/self/fd/%d" % f, os.O_RDONLY), 99))`,
  ),
  python(
    "opens a secret below another root",
    `
import struct
at = libc.syscall(437, os.open(HOME, os.O_PATH), b"/.ssh/id_rsa", struct.pack("QQQ", os.O_RDONLY, 0, 0x10), 24)
print(os.read(check(at, proves=False), 99))`,
  ),
  python(
    "copies the memory of a process outside",
    `
class Part(ctypes.Structure): _fields_ = [("at", ctypes.c_void_p), ("length", ctypes.c_size_t)]
room = ctypes.create_string_buffer(9); mine, other = Part(ctypes.addressof(room), 9), Part(0x400000, 9)
done = libc.process_vm_readv(int(os.environ["OUTSIDE_PID"]), ctypes.byref(mine), 1, ctypes.byref(other), 1, 0)
import errno
if done != -1 or ctypes.get_errno() == errno.EFAULT: escaped()`,
  ),
  python(
    "takes a descriptor from a process outside",
    `
NUMBERS["pidfd_getfd"] = 438
f = check(syscall("pidfd_open", int(os.environ["OUTSIDE_PID"]), 0), proves=False)
print(os.read(check(libc.syscall(438, f, 0, 0), proves=False), 99))`,
  ),
  ...["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/ssh/ssh_host_ed25519_key"].map(
    file => sh(`reads ${file}`, `[ -s ${file} ] && head -c 1 ${file} | grep -q . && echo ESCAPED`, NOT_BARE),
  ),
  ...Object.keys(SECRET_VARIABLES).map(name =>
    python(`prints the variable ${name}`, `print(os.environ["${name}"])`),
  ),
  python(
    "reads a ticket of Kerberos in a temporary folder",
    `print(open("/tmp/krb5cc_" + os.environ["SHARED_NAME"]).read())`,
    OPEN_WITHOUT_VIEW,
  ),
  sh("prints the environment", "env"),
  sh("prints a variable by its name", 'echo "$DEPLOY_TOKEN"'),
  sh("prints a variable with the value of a token", 'echo "$DEPLOY"'),
  sh("reads /proc/self/environ", "tr '\\0' '\\n' < /proc/self/environ"),
  sh("reads the environment of process 1", "tr '\\0' '\\n' < /proc/1/environ", NOT_BARE),
  sh(
    "reads the environment of its parents",
    "for p in /proc/[0-9]*; do tr '\\0' '\\n' < $p/environ; done 2>/dev/null",
  ),
  sh("reads the environment of a process outside", "tr '\\0' '\\n' < /proc/$OUTSIDE_PID/environ"),
  sh(
    "reads the arguments of a process outside",
    "tr '\\0' '\\n' < /proc/$OUTSIDE_PID/cmdline",
    OPEN_WITHOUT_VIEW,
  ),
  sh("lists processes", "ps -eo args 2>/dev/null", OPEN_WITHOUT_VIEW),
  sh("reads a file through a process outside", `cat "/proc/$OUTSIDE_PID/root$HOME/.ssh/id_rsa"`),
  sh("reads where a process outside works", "cat /proc/$OUTSIDE_PID/cwd/../.ssh/id_rsa"),
  sh("reads an open file of a process outside", "cat /proc/$OUTSIDE_PID/fd/0"),
  python(
    "reads the memory of a process outside",
    `open("/proc/" + os.environ["OUTSIDE_PID"] + "/mem", "rb"); escaped()`,
  ),
  python("reads the memory of process 1", `open("/proc/1/mem", "rb"); escaped()`, FIRST_PROCESS),
  python(
    "attaches to a process outside",
    `check(syscall("ptrace", 16, int(os.environ["OUTSIDE_PID"]), 0, 0))`,
  ),
  python("attaches to process 1", `check(syscall("ptrace", 0x4206, 1, 0, 0))`, FIRST_PROCESS),
  sh("reads an inherited descriptor", "cat <&9 2>/dev/null; cat /proc/self/fd/9"),
  sh("reads shared memory of others", "cat /dev/shm/$SHARED_NAME", OPEN_WITHOUT_VIEW),
  python(
    "reads a message queue of System V",
    `
room = ctypes.create_string_buffer(200)
done = libc.msgrcv(int(os.environ["QUEUE_ID"]), room, 100, 0, 0o4000 | 0o10000 | 0o40000)
if done > 0: print(room.raw[8:8 + done])`,
    { worksBare: false, open: ["without namespaces"] },
  ),
  sh("reads keys that the kernel lists", "cat /proc/keys | grep . && echo ESCAPED", {
    worksBare: false,
    open: ["without namespaces"],
  }),
  sh(
    "reads memory of the kernel",
    "head -c 1 /proc/kcore | grep -q . && echo ESCAPED; head -c 1 /dev/mem && echo ESCAPED",
    NOT_BARE,
  ),
];
