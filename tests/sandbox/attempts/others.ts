import { CAUGHT } from "../scene.ts";
import { NOT_BARE, OPEN_ALWAYS, OPEN_WITHOUT_VIEW, python, refused, sh } from "./attempt.ts";

const METADATA = OPEN_WITHOUT_VIEW;

const CONNECT = (name: string) => `
import socket
s = socket.socket(socket.AF_UNIX); s.settimeout(2)
s.connect(HOME + "/a/b/c/d/${name}"); s.send(b"x"); print(s.recv(99))`;

const writesInto = (place: string) =>
  `os.write(os.open(${place}, os.O_WRONLY | os.O_NONBLOCK), b"x"); escaped()`;
const takesFrom = (place: string) => `print(os.read(os.open(${place}, os.O_RDONLY | os.O_NONBLOCK), 99))`;

/** A calling number that is one on all machines. */
const call = (number: number, words: string) => `check(libc.syscall(${number}, ${words}))`;

/** What others left lying about, names that nobody listed, and calls that are new. */
export const OTHERS = [
  python("writes into a pipe of the home", writesInto('HOME + "/pipe"')),
  python("takes from a pipe of the home", takesFrom('HOME + "/pipe"')),
  ...['HOME + "/a/b/c/d/deep.pipe"', 'OUT + "/others.pipe"'].flatMap(place => [
    // A pipe can be written to on what is read-only: the kernel stores nothing there.
    python(`writes into the pipe ${place}`, writesInto(place), { open: ["without Landlock", "bwrap"] }),
    python(`takes from the pipe ${place}`, takesFrom(place), OPEN_ALWAYS),
  ]),
  python("connects to a socket that was bound without its folder", CONNECT("relative.sock")),
  python("connects to a socket that was renamed", CONNECT("renamed.sock"), {
    ...OPEN_ALWAYS,
    // There, no socket can be made at all where the network is off.
    open: ["all", "without Landlock", "bwrap"],
  }),
  python(
    "locks a file that it can read",
    `
import fcntl
fcntl.flock(os.open(OUT + "/file", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB); escaped()`,
    OPEN_ALWAYS,
  ),
  python(
    "opens what the first process holds open",
    `
for name in os.listdir("/proc/1/fd"): os.open("/proc/1/fd/" + name, os.O_RDONLY); escaped()`,
    { worksBare: false, open: ["bwrap"] },
  ),
  python(
    "takes a descriptor from the first process",
    `
f = check(syscall("pidfd_open", 1, 0), proves=False)
${call(438, "f, 0, 0")}`,
    { worksBare: false, open: ["bwrap"] },
  ),
  python(
    "asks for the namespace above its own",
    `
import fcntl
for kind in ["pid", "user"]:
    try: fcntl.ioctl(os.open("/proc/self/ns/" + kind, os.O_RDONLY), 0xb702); escaped()
    except OSError: pass`,
    NOT_BARE,
  ),
  python("changes a mode by a newer call", call(452, '-100, (OUT + "/file").encode(), 0o777, 0'), {
    ...METADATA,
    // Before Linux 6.6 there is none.
    worksBare: false,
  }),
  python(
    "sets an attribute by a newer call",
    `
import struct
room = ctypes.create_string_buffer(b"y"); how = struct.pack("QII", ctypes.addressof(room), 1, 0)
${call(463, '-100, (OUT + "/file").encode(), 0, b"user.x", how, 16')}`,
    { ...METADATA, worksBare: false },
  ),
  python(
    "sets a flag by a newer call",
    call(469, '-100, (OUT + "/file").encode(), (0x40).to_bytes(24, "little"), 24, 0'),
    { ...METADATA, worksBare: false },
  ),
  python(
    "lets a process outside run only when nothing else does",
    `os.sched_setscheduler(int(os.environ["OUTSIDE_PID"]), os.SCHED_IDLE, os.sched_param(0)); escaped()`,
    { ...METADATA, worksBare: false },
  ),
  refused("changes what a try caught", `echo x >> "$HOME/${CAUGHT}/upper/file"`, OPEN_WITHOUT_VIEW),
  refused(
    "puts another folder in the place of what a try caught",
    `mv "$HOME/.npm/.amplihack-try" "$HOME/.npm/moved"`,
    OPEN_WITHOUT_VIEW,
  ),
  ...Object.entries({
    "hooks of Mercurial": ".hg/hgrc",
    "settings of Jujutsu": ".jj/repo/config.toml",
    "language servers of Helix": ".helix/languages.toml",
    "what Neovim starts": ".nvim.lua",
    "what .envrc of many loads": ".envrc.local",
  }).map(([name, path]) =>
    sh(`makes ${name}`, `mkdir -p "$(dirname ${path})" && echo x > ${path}`, {
      open: ["bwrap"],
      leaves: path,
    }),
  ),
];
