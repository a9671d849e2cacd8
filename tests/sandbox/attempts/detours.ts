import {
  type Attempt,
  NOT_BARE,
  OPEN_WHERE_NONE_WAS,
  OPEN_WITHOUT_VIEW,
  python,
  refused,
  sh,
} from "./attempt.ts";

const OPEN = OPEN_WITHOUT_VIEW;
const NONE_WAS = OPEN_WHERE_NONE_WAS;

/** The first process of `bwrap` can be looked at; it has the rights of the command. */
const FIRST_PROCESS = { worksBare: false, open: ["bwrap"] } as const;

const leaves = (name: string, path: string, script: string): Attempt =>
  sh(name, script, { open: ["bwrap"], leaves: path });

const OPENAT2 = (at: string, path: string, flags: string, resolve: string) =>
  `libc.syscall(437, ${at}, ${path}, struct.pack("QQQ", ${flags}, 0, ${resolve}), 24)`;

/** Another name, another order, another descriptor for what was refused directly. */
export const DETOURS: readonly Attempt[] = [
  // Folders above what is protected.
  refused("moves a folder two levels above what a shell loads", "mv packages old", OPEN),
  refused(
    "moves the folder above the program that git runs, by a link to it",
    "ln -s . here && mv here/tools here/old",
    OPEN,
  ),
  refused(
    "moves a folder above a protected one through /proc/self/cwd",
    "mv /proc/self/cwd/packages old",
    OPEN,
  ),
  python(
    "exchanges a folder two levels above what a shell loads",
    `
os.makedirs("evil/a"); open("evil/a/.envrc", "w").write("x")
check(syscall("renameat2", -100, b"packages", -100, b"evil", 2))`,
    OPEN,
  ),
  python(
    "moves a protected folder by descriptors of both sides",
    `
at = os.open(".git", os.O_PATH); to = os.open(".", os.O_PATH)
os.rename("hooks", "taken", src_dir_fd=at, dst_dir_fd=to); escaped()`,
    OPEN,
  ),
  python(
    "removes a protected folder by its descriptor",
    `
at = os.open(".", os.O_RDONLY)
os.unlink(".git/hooks/x", dir_fd=at) if os.path.exists(".git/hooks/x") else os.rmdir(".git/hooks", dir_fd=at); escaped()`,
    OPEN,
  ),
  refused(
    "makes a hook through a thread's folder",
    "echo x > /proc/thread-self/cwd/.git/hooks/post-merge",
    OPEN,
  ),
  refused("makes a hook from within the folder of git", "cd .git && echo x > hooks/post-merge", OPEN),
  refused(
    "makes a hook through a link within the folder of git",
    "ln -s hooks .git/h && echo x > .git/h/post-merge",
    OPEN,
  ),
  refused(
    "makes a hook by git's own template",
    "mkdir -p t/hooks && echo x > t/hooks/post-merge && git init -q --template=t && [ -e .git/hooks/post-merge ]",
    OPEN,
  ),
  refused("configures the repository by another name of it", `GIT_DIR="$PWD/.git" git config a.b c`, OPEN),
  refused(
    "configures the repository from a folder below",
    "mkdir -p x/y && cd x/y && git config a.b c",
    OPEN,
  ),
  refused("configures a submodule by git", "git -C sub config a.b c", OPEN),
  refused(
    "configures a worktree by git",
    "git config extensions.worktreeConfig true && git config --worktree a.b c",
    OPEN,
  ),
  refused(
    "edits the configuration by a section's name",
    "git config --rename-section filter.x filter.y",
    OPEN,
  ),
  refused("adds a remote", "git remote add evil ext::sh", OPEN),
  refused(
    "sets the branch that a push follows",
    "git branch -q -f other HEAD && git branch -q --set-upstream-to=other; git config --get-regexp '^branch.*merge'",
    OPEN,
  ),
  refused("moves the whole repository by git", `git init -q --separate-git-dir "$PWD/elsewhere"`, {
    ...OPEN,
    worksBare: false,
  }),
  refused(
    "writes a hook as a lock that git renames",
    "echo x > .git/config.lock && mv .git/config.lock .git/config",
    OPEN,
  ),
  refused("lets git write its configuration by a link", "ln -s config .git/c && echo x >> .git/c", OPEN),
  refused("replaces .git of a submodule by a folder", "rm -f sub/.git && mkdir sub/.git", OPEN),
  refused(
    "makes attributes in a new folder of information",
    "mkdir -p .git/info && cp a.txt .git/info/attributes",
    NONE_WAS,
  ),
  refused("links attributes", "ln -s ../../a.txt .git/info/attributes", NONE_WAS),
  refused("makes config.worktree of a submodule", "echo x > .git/modules/sub/config.worktree", NONE_WAS),
  refused(
    "makes commondir of a nested repository",
    "rm -f nested/.git/commondir; echo /tmp/evil > nested/.git/commondir",
    NONE_WAS,
  ),
  refused(
    "makes commondir by a hard link",
    "echo /tmp/evil > c && rm -f .git/commondir; ln c .git/commondir",
    NONE_WAS,
  ),
  python(
    "exchanges a file with commondir",
    `
open("c", "w").write("/tmp/evil"); check(syscall("renameat2", -100, b"c", -100, b".git/commondir", 2))`,
    // Where there is none, nothing can be exchanged.
    NOT_BARE,
  ),

  // Files outside, by other calls.
  python(
    "opens from the root of a descriptor, and ..",
    `
import struct
f = ${OPENAT2('os.open("sub", os.O_PATH)', '(b"../" * 20) + OUT.encode() + b"/file"', "os.O_WRONLY", "0")}
check(f)`,
  ),
  python(
    "opens through magic links of a descriptor",
    `
at = os.open("/", os.O_PATH); os.open("/proc/self/fd/%d%s/file" % (at, OUT), os.O_WRONLY); escaped()`,
  ),
  python(
    "maps a file and opens what was mapped",
    `
import mmap
f = os.open(OUT + "/file", os.O_RDONLY); m = mmap.mmap(f, 0, mmap.MAP_PRIVATE, mmap.PROT_READ)
for name in os.listdir("/proc/self/map_files"):
    if os.readlink("/proc/self/map_files/" + name).endswith("/outside/file"):
        os.open("/proc/self/map_files/" + name, os.O_RDWR); escaped()`,
    NOT_BARE,
  ),
  python(
    "maps a file for all to see the changes",
    `
import mmap
m = mmap.mmap(os.open(OUT + "/file", os.O_RDONLY), 0, mmap.MAP_SHARED, mmap.PROT_WRITE); m[0] = 1; escaped()`,
    NOT_BARE,
  ),
  python(
    "makes room in a file that it reads",
    `
f = os.open(OUT + "/file", os.O_RDONLY); check(libc.fallocate(f, 0, ctypes.c_long(0), ctypes.c_long(99)))`,
    NOT_BARE,
  ),
  python("truncates by name", `check(libc.truncate((OUT + "/file").encode(), ctypes.c_long(0)))`),
  python(
    "writes by a splice from a pipe",
    `
r, w = os.pipe(); os.write(w, b"x")
os.splice(r, os.open(OUT + "/file", os.O_WRONLY), 1); escaped()`,
  ),
  python(
    "links a file without a name by its own descriptor",
    `
f = os.open(OUT + "/file", os.O_RDONLY)
check(libc.linkat(f, b"", -100, b"linked", 0x1000), proves=False)
open("linked", "a").write("x"); escaped()`,
    NOT_BARE,
  ),
  python(
    "removes an attribute of a file outside",
    `os.setxattr(OUT + "/file", "user.y", b"z"); os.removexattr(OUT + "/file", "user.y"); escaped()`,
    OPEN,
  ),
  python(
    "sets an access list",
    `os.setxattr(OUT + "/file", "system.posix_acl_access", bytes.fromhex("0200000001000700ffffffff04000700ffffffff20000700ffffffff")); escaped()`,
    OPEN,
  ),
  python(
    "opens the program of the first process to write",
    `os.open("/proc/1/exe", os.O_WRONLY); escaped()`,
    NOT_BARE,
  ),
  python(
    "reads the program of the first process",
    `os.open("/proc/1/exe", os.O_RDONLY); escaped()`,
    FIRST_PROCESS,
  ),
  python(
    "opens the program that it runs, to write",
    `os.open("/proc/self/exe", os.O_WRONLY); escaped()`,
    NOT_BARE,
  ),
  refused("writes the program of the sandbox", 'echo x >> "$PROGRAM"'),
  refused("replaces the program of the sandbox", 'cp "$PROGRAM" p && mv p "$PROGRAM"', NOT_BARE),
  refused("writes amplihack itself", 'echo x >> "$CLI"', NOT_BARE),
  refused("makes a file beside the project by TMPDIR", `TMPDIR="$HOME" mktemp`),
  refused("makes a folder beside the project", `mkdir "$PROJECT-2"`),
  refused("makes a folder for what tries catch", `mkdir "$HOME/.amplihack-try"`),
  sh(
    "writes through its outputs",
    `for n in 1 2; do echo x > "$(readlink /proc/self/fd/$n)"; done 2>/dev/null; true`,
    NOT_BARE,
  ),
  python(
    "leaves a folder that was moved while it worked in it",
    `
os.makedirs("deep/er"); os.chdir("deep/er"); os.rename("../../deep/er", "../../er")
open("../../notes.txt", "a").write("x"); escaped()`,
  ),
  python(
    "swaps a folder for a link while a file in it is replaced",
    `
import threading
os.makedirs("swap/real", exist_ok=True); before = open(OUT + "/file").read(); stop = []
def swap():
    while not stop:
        try: os.rename("swap/real", "swap/away"); os.symlink(OUT, "swap/real"); os.unlink("swap/real"); os.rename("swap/away", "swap/real")
        except OSError: pass
threading.Thread(target=swap, daemon=True).start()
for _ in range(2000):
    try: open("swap/new", "w").write("x"); os.rename("swap/new", "swap/real/file")
    except OSError: pass
stop.append(1)
if open(OUT + "/file").read() != before: escaped()`,
    // Outside it wins the race only now and then.
    NOT_BARE,
  ),

  // Secrets, by other names.
  sh("reads a secret as a list of files", `tar cf /dev/null -T "$HOME/.ssh/id_rsa" 2>&1`),
  sh("reads a secret as arguments", `xargs echo < "$HOME/.ssh/id_rsa"`),
  sh(
    "reads a secret as an included configuration",
    `git -c include.path="$HOME/.aws/credentials" config --list 2>&1`,
  ),
  sh(
    "reads a secret by a comparison",
    `diff "$HOME/.ssh/id_rsa" /dev/null; cmp -l "$HOME/.ssh/id_rsa" a.txt`,
  ),
  sh("reads a secret by an editor", `sed -n p "$HOME/.docker/config.json"; awk 1 "$HOME/.kube/config"`),
  sh(
    "loads a secret as a library",
    `LD_PRELOAD="$HOME/.ssh/id_rsa" true 2>&1; python3 "$HOME/.aws/credentials" 2>&1`,
  ),
  sh("makes a secret of the project another name", "ln deploy.key other && cat other", OPEN),
  sh("moves a secret of the project", "mv deploy.key other && cat other", OPEN),
  sh(
    "copies the folder of the project with its secrets",
    `cp -r "$PROJECT" copy 2>/dev/null; cat copy/deploy.key`,
    OPEN,
  ),
  sh(
    "shows a secret by git",
    "git add -f deploy.key; git show :deploy.key; git diff --no-index /dev/null deploy.key",
    OPEN,
  ),
  sh(
    "asks git for what it hides",
    "git hash-object -w deploy.key | xargs git cat-file -p; git stash -a -q; git stash show -p --include-untracked",
    OPEN,
  ),
  sh(
    "reads what the view hides in its folder of devices",
    "cat /dev/file* /dev/folder/* 2>/dev/null; ls /dev | grep -E '^(file|folder)' && echo ESCAPED",
    NOT_BARE,
  ),
  python(
    "lists mounts that lie below the view, and opens them",
    `
import struct
room = (ctypes.c_uint64 * 512)()
request = struct.pack("IIQQQ", 32, 0, 0xffffffffffffffff, 0, 0)
count = libc.syscall(458, request, room, 512, 0)
for number in room[:max(count, 0)]:
    for flags in (1, 0x8000):
        if syscall("open_tree", int(number & 0x7fffffff), b"", flags | 0x1000) != -1: escaped()`,
    NOT_BARE,
  ),
  python(
    "copies a folder of btrfs as a whole",
    `
import fcntl, errno
for request in (0x50009401, 0x50009417):
    try: fcntl.ioctl(os.open(".", os.O_RDONLY), request, b"\\0" * 1000)
    except OSError as error:
        if error.errno == errno.EPERM: continue
    escaped()`,
  ),
  python(
    "reads a secret by a process that it starts with another root of names",
    `
f = os.open("/proc/self/root", os.O_PATH); print(os.read(os.open(HOME[1:] + "/.ssh/id_rsa", os.O_RDONLY, dir_fd=f), 99))`,
  ),

  // What others would start or believe later.
  leaves("makes servers of a host's tools", ".mcp.json", "echo x > .mcp.json"),
  leaves(
    "makes settings of Gemini",
    ".gemini/settings.json",
    "mkdir .gemini && echo x > .gemini/settings.json",
  ),
  leaves("makes settings of Codex", ".codex/config.toml", "mkdir .codex && echo x > .codex/config.toml"),
  leaves("makes settings of OpenCode", "opencode.json", "echo x > opencode.json"),
  leaves("makes commands of lefthook for this machine", "lefthook-local.yml", "echo x > lefthook-local.yml"),
  leaves(
    "makes settings of mise deeper",
    ".config/mise/config.toml",
    "mkdir -p .config/mise && echo x > .config/mise/config.toml",
  ),
  leaves("makes settings of mise for this machine", ".mise.local.toml", "echo x > .mise.local.toml"),
  leaves(
    "makes hooks of a manager by a move of all",
    ".githooks.d/../.husky/pre-push",
    "mkdir -p .githooks.d v && echo x > v/pre-push && mv v .husky",
  ),
  refused(
    "listens where git asks for passwords",
    `rm -f "$HOME/.cache/git/credential/x"; echo x > "$HOME/.cache/git/credential/x"`,
    OPEN,
  ),
  refused(
    "moves the folder in which git asks for passwords",
    `mv "$HOME/.cache/git" "$HOME/.cache/old"`,
    OPEN,
  ),

  // The kernel, other processes, other ways to sockets.
  python(
    "opens a socket of DECnet",
    `import socket; socket.socket(12, socket.SOCK_STREAM); escaped()`,
    NOT_BARE,
  ),
  python(
    "enters the network of the first process",
    `f = os.open("/proc/1/ns/net", os.O_RDONLY); check(syscall("setns", f, 0))`,
    NOT_BARE,
  ),
  python(
    "makes namespaces by a thread's flags",
    `
import errno
for flag in (0x10000000, 0x00020000, 0x40000000):
    done = syscall("clone", flag | 17, 0, 0, 0, 0)
    if done == 0: os._exit(0)
    if done != -1 or ctypes.get_errno() != errno.EPERM: escaped()`,
    NOT_BARE,
  ),
  python(
    "traces a process that it did not start",
    `
for name in os.listdir("/proc"):
    if name.isdigit() and int(name) not in (os.getpid(), os.getppid()):
        if syscall("ptrace", 16, int(name), 0, 0) == 0 and int(name) == 1: escaped()`,
    { worksBare: false, open: ["bwrap"] },
  ),
  python(
    "asks for the memory of the first process by a descriptor",
    `
f = check(syscall("pidfd_open", 1, 0), proves=False)
check(libc.syscall(440, f, ctypes.byref((ctypes.c_uint64 * 2)(0x400000, 4096)), 1, 20, 0))`,
    { worksBare: false, open: ["without namespaces", "bwrap"] },
  ),
  python(
    "sets its own clock",
    `import time; time.clock_settime(time.CLOCK_REALTIME, 0); escaped()`,
    NOT_BARE,
  ),
  python(
    "adjusts the clock",
    `
room = ctypes.create_string_buffer(208); room[0:4] = (1).to_bytes(4, "little")
number = {"x86_64": 159, "aarch64": 171}[os.uname().machine]
check(libc.syscall(number, room))`,
    NOT_BARE,
  ),
  python(
    "raises its own bounds",
    `
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard + 1)); escaped()`,
    NOT_BARE,
  ),
  python("raises its priority", `os.nice(-20); escaped()`, NOT_BARE),
  refused(
    "gives a program the rights of its owner, elsewhere",
    `cp /bin/sh "$OUT/shell" && chmod u+s "$OUT/shell"`,
  ),
  refused(
    "gives a program capabilities",
    "cp /bin/sh shell && setcap cap_sys_admin+ep shell 2>/dev/null",
    NOT_BARE,
  ),
  refused(
    "lets the loader write elsewhere",
    `LD_DEBUG=files LD_DEBUG_OUTPUT="$OUT/log" /bin/true; ls "$OUT"/log.* 2>/dev/null | grep -q .`,
  ),
  refused(
    "lets git write a trace elsewhere",
    `GIT_TRACE="$OUT/trace" git status -s >/dev/null 2>&1; [ -s "$OUT/trace" ]`,
  ),
  refused(
    "lets node write a report elsewhere",
    `"$NODE" --report-directory="$OUT" --report-filename=r.json -e 'process.report.writeReport()' 2>/dev/null >&2; [ -e "$OUT/r.json" ]`,
  ),
  refused(
    "lets bash keep its history elsewhere",
    `HISTFILE="$OUT/history" bash -c 'set -o history; history -s x; history -w' && [ -s "$OUT/history" ]`,
  ),
];
