import { NOT_BARE, OPEN_WITHOUT_VIEW, python, refused, sh } from "./attempt.ts";

/** Landlock knows nothing of modes, times and attributes. */
const METADATA = OPEN_WITHOUT_VIEW;

const FILES_IN_HOME = [
  ".bashrc",
  ".profile",
  ".zshenv",
  ".gitconfig",
  ".config/autostart/run.desktop",
  ".config/systemd/user/run.service",
  ".ssh/authorized_keys",
  ".local/bin/git",
  ".amplihack/config.json",
  ".amplihack/guard/machine.key",
  ".amplihack/sandbox/policies/own.json",
  ".claude/settings.json",
  ".npmrc",
];

const SYSTEM_FILES = [
  "/etc/passwd",
  "/etc/cron.d/run",
  "/usr/local/bin/git",
  "/etc/ld.so.preload",
  "/var/spool/cron/root",
];

/** Changes of files that are not the project's. */
export const WRITES = [
  ...FILES_IN_HOME.map(file =>
    refused(`writes ~/${file}`, `mkdir -p "$HOME/$(dirname ${file})" 2>/dev/null; echo x >> "$HOME/${file}"`),
  ),
  ...SYSTEM_FILES.map(file => refused(`writes ${file}`, `echo x >> ${file}`, NOT_BARE)),
  refused("writes by an absolute path", `echo x >> "$OUT/file"`),
  refused("makes a file", `touch "$OUT/new"`),
  refused("makes a folder", `mkdir "$OUT/folder"`),
  refused("writes by a relative path", "echo x >> ../notes.txt"),
  refused("writes through a link to a file", `ln -s "$OUT/file" link && echo x >> link`),
  refused("writes through a link to a folder", `ln -s "$OUT" there && touch there/new`),
  refused("writes through a chain of links", `ln -s "$OUT" one && ln -s one two && touch two/new`),
  refused("writes through a hard link that it makes", `ln "$OUT/file" name && echo x >> name`),
  refused("writes through /proc/self/root", `echo x >> "/proc/self/root$OUT/file"`),
  refused("writes through /proc/1/root", `echo x >> "/proc/1/root$OUT/file"`, NOT_BARE),
  refused("writes through /proc/self/cwd", "echo x >> /proc/self/cwd/../notes.txt"),
  refused(
    "writes through a descriptor of a folder",
    `cd "$OUT" && exec 5<. && cd / && touch /proc/self/fd/5/new`,
  ),
  refused("moves a file out", `echo x > a && mv a "$OUT/a"`),
  refused("moves a file in", `mv "$OUT/file" .`),
  refused("moves the folder above the project", `mv "$HOME" "$HOME-moved"`),
  refused("moves the project", `mv "$PROJECT" "$PROJECT-moved"`),
  refused("copies over a file", `echo x > a && cp a "$OUT/file"`),
  refused("removes a file", `rm "$OUT/file"`),
  refused("removes an empty folder", `rmdir "$OUT/empty"`),
  refused("makes a link outside", `ln -s /etc "$OUT/link"`),
  refused("makes a hard link outside", `echo x > a && ln a "$OUT/link"`),
  refused("makes a pipe outside", `mkfifo "$OUT/pipe"`),
  refused("empties a file", `truncate -s 0 "$OUT/file"`),
  refused("writes with dd", `dd if=/dev/zero of="$OUT/file" bs=1 count=1 conv=notrunc 2>/dev/null`),
  refused("unpacks outside", `echo x > a && tar cf a.tar a && tar xf a.tar -C "$OUT"`),
  refused("changes a mode", `chmod 777 "$OUT/file"`, METADATA),
  refused("changes a time", `touch -d 2001-01-01 "$OUT/file"`, METADATA),
  refused(
    "commits in another repository",
    `git -C "$OUT/repository" -c user.name=a -c user.email=b commit -q --allow-empty -m x`,
  ),
  refused("configures another repository", `git -C "$OUT/repository" config a.b c`),
  refused("configures git for the user", "git config --global a.b c"),
  python("opens for writing and empties", `os.open(OUT + "/file", os.O_WRONLY | os.O_TRUNC); escaped()`),
  python(
    "opens from a descriptor and ..",
    `at = os.open(".", os.O_RDONLY); os.open("../notes.txt", os.O_WRONLY, dir_fd=at); escaped()`,
  ),
  python(
    "makes a file without a name, then names it",
    `
f = os.open(OUT, os.O_TMPFILE | os.O_WRONLY); escaped()`,
  ),
  python(
    "exchanges a file of the project with one outside",
    `
open("a", "w").write("x")
check(syscall("renameat2", -100, b"a", -100, (OUT + "/file").encode(), 2))`,
  ),
  python("sets an attribute", `os.setxattr(OUT + "/file", "user.x", b"y"); escaped()`, METADATA),
  python(
    "sets a flag by ioctl",
    `
import fcntl, array
f = os.open(OUT + "/file", os.O_RDONLY)
value = array.array("l", [0]); fcntl.ioctl(f, 0x80086601, value); value[0] ^= 0x40
fcntl.ioctl(f, 0x40086602, value); escaped()`,
    METADATA,
  ),
  python("changes an owner", `os.chown(OUT + "/file", os.getuid(), os.getgid()); escaped()`, METADATA),
  python(
    "writes while links are swapped",
    `
import threading, time
os.makedirs("race/real", exist_ok=True); open("race/real/file", "w").close()
stop = []
def swap():
    while not stop:
        for target in ["real", OUT]:
            try: os.symlink(target, "race/next"); os.rename("race/next", "race/link")
            except OSError: pass
threading.Thread(target=swap, daemon=True).start()
before = open(OUT + "/file").read()
for _ in range(3000):
    try:
        with open("race/link/file", "a") as f: f.write("x")
    except OSError: pass
stop.append(1)
# Whatever the race gave, the link leads out at last.
try:
    os.symlink(OUT, "race/last")
    with open("race/last/file", "a") as f: f.write("x")
except OSError: pass
if open(OUT + "/file").read() != before: escaped()`,
  ),
  refused("writes a program beside a cache", `echo x >> "$HOME/.deno/bin/deno"`),
  refused("makes a program beside a cache", `echo x > "$HOME/.pub-cache/bin/tool"`),
  refused("opens its input once more, for writing", "echo x >> /proc/self/fd/0", { readsOutside: true }),
  refused("opens its input by the name of the device", "echo x >> /dev/stdin", { readsOutside: true }),
  python(
    "empties its input by another descriptor",
    `os.open("/proc/thread-self/fd/0", os.O_RDWR | os.O_TRUNC); escaped()`,
    { readsOutside: true },
  ),
  python(
    "opens without rights, then with them",
    `
f = os.open(OUT + "/file", os.O_PATH); os.open("/proc/self/fd/%d" % f, os.O_WRONLY); escaped()`,
  ),
  python(
    "makes a file without a name in the project, then names it outside",
    `
f = os.open(".", os.O_TMPFILE | os.O_RDWR)
check(libc.linkat(-100, b"/proc/self/fd/%d" % f, -100, (OUT + "/named").encode(), 0x400))`,
  ),
  python(
    "links by a descriptor",
    `
f = os.open(OUT + "/file", os.O_RDONLY)
check(libc.linkat(-100, b"/proc/self/fd/%d" % f, -100, b"linked", 0x400), proves=False)
open("linked", "a").write("x"); escaped()`,
  ),
  python(
    "writes through its own memory into a file that is mapped",
    `
import mmap
f = os.open(OUT + "/file", os.O_RDONLY)
libc.mmap.restype = ctypes.c_void_p
at = libc.mmap(None, 4096, 1, 1, f, 0)
memory = os.open("/proc/self/mem", os.O_RDWR); os.lseek(memory, at, 0); os.write(memory, b"pwned")
if open(OUT + "/file").read().startswith("pwned"): escaped()`,
    { worksBare: false },
  ),
  python(
    "makes a socket outside",
    `import socket; socket.socket(socket.AF_UNIX).bind(OUT + "/s"); escaped()`,
  ),
  python("makes a file by mknod", `os.mknod(OUT + "/node"); escaped()`),
  python(
    "changes a mode through a descriptor that reads",
    `os.fchmod(os.open(OUT + "/file", os.O_RDONLY), 0o777); escaped()`,
    METADATA,
  ),
  python(
    "changes times through a descriptor that reads",
    `os.utime(os.open(OUT + "/file", os.O_RDONLY), (1, 1)); escaped()`,
    METADATA,
  ),
  python(
    "opens below another root",
    `
import struct
NUMBERS["openat2"] = 437
how = struct.pack("QQQ", os.O_WRONLY, 0, 0x10)
check(libc.syscall(437, os.open("/", os.O_PATH), (OUT + "/file").encode(), how, 24))`,
  ),
  python(
    "copies a file within the kernel",
    `
open("a", "w").write("x" * 9); f = os.open("a", os.O_RDONLY)
os.copy_file_range(f, os.open(OUT + "/file", os.O_WRONLY), 9); escaped()`,
  ),
  sh(
    "swaps a cache for a link",
    `rm -rf "$HOME/.npm" 2>/dev/null; ln -sT "$OUT" "$HOME/.npm" && echo ESCAPED`,
    {
      worksBare: false,
    },
  ),
  sh(
    "writes in the background after the command ended",
    `(sleep 0.3; echo x >> "$OUT/late") >/dev/null 2>&1 & true`,
    { worksBare: false },
  ),
];
