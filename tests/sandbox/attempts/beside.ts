import { type Attempt, NOT_BARE, python, refused, sh } from "./attempt.ts";

/** Sockets that lead around what holds ordinary ones back. */
const PROTOCOLS: readonly (readonly [name: string, family: number, type: number, protocol: number])[] = [
  ["TCP by several ways at once", 2, 1, 262],
  ["TCP by several ways at once, of IPv6", 10, 1, 262],
  ["SCTP", 2, 1, 132],
  ["SCTP, of packets in turn", 2, 5, 132],
  ["UDP-Lite", 2, 2, 136],
  ["DCCP", 2, 6, 33],
  ["echoes", 2, 2, 1],
  ["echoes of IPv6", 10, 2, 58],
  ["SMC", 43, 1, 0],
  ["SMC of IPv6", 43, 1, 1],
  ["RDS", 21, 5, 0],
  ["PPP over others", 24, 1, 0],
  ["L2TP", 2, 2, 115],
  ["MCTP", 45, 2, 0],
  ["the router of Qualcomm", 42, 2, 0],
  ["KCM", 41, 2, 0],
  ["births and deaths of processes", 16, 2, 11],
  ["events of devices", 16, 2, 15],
  ["rules of the firewall", 16, 2, 12],
  ["questions of the security server", 16, 2, 7],
];

/**
 * `netlink` tells of the machine's own network only where the command is in it; a socket of it is made all the same. What
 * leads nowhere is no way out: it must reach this machine.
 */
const sockets: readonly Attempt[] = PROTOCOLS.map(([name, family, type, protocol]) =>
  python(
    `reaches this machine by a socket for ${name}`,
    `
import socket, struct
s = socket.socket(${family}, ${type}, ${protocol}); s.settimeout(2)
if ${family} == 16:
    s.bind((0, 1)); s.setsockopt(270, 1, 1)
    if ${protocol} == 11: s.send(struct.pack("=IHHII", 40, 3, 0, 0, os.getpid()) + struct.pack("=IIIIHHI", 1, 1, 0, 0, 4, 0, 1))
    if os.fork() == 0: os._exit(0)
    if s.recv(4096): escaped()
elif ${type} == 2 and ${protocol} in (1, 58):
    s.sendto(struct.pack("!BBHHH", 8 if ${family} == 2 else 128, 0, 0xf7ff if ${family} == 2 else 0, 0, 0), ("127.0.0.1" if ${family} == 2 else "::1", 0))
    if s.recv(64): escaped()
elif ${type} == 2 and ${family} == 2:
    s.connect(("127.0.0.1", PORT)); s.send(b"x")
    if s.recv(64): escaped()
else:
    s.connect(("127.0.0.1" if ${family} in (2, 43) and ${protocol} != 1 or ${family} == 21 else "::1", PORT)); escaped()`,
    NOT_BARE,
  ),
);

/** Beside caches, which a command may change, lie settings and programs of the same tools. */
const BESIDE_CACHES: readonly (readonly [name: string, path: string])[] = [
  ["a script that Gradle starts with", ".gradle/init.d/x.gradle"],
  ["settings of Gradle", ".gradle/gradle.properties"],
  ["settings of Maven", ".m2/settings.xml"],
  ["extensions of Maven", ".m2/extensions.xml"],
  ["settings of Cargo", ".cargo/config.toml"],
  ["a program of Cargo", ".cargo/bin/cargo"],
  ["what a shell loads for Cargo", ".cargo/env"],
  ["settings of Go", ".config/go/env"],
  ["a program of Go", "go/bin/tool"],
  ["settings of pip", ".config/pip/pip.conf"],
  ["settings of npm", ".npmrc"],
  ["settings of Yarn", ".yarnrc.yml"],
  ["settings of Bun", ".bunfig.toml"],
  ["a module that Python starts with", ".local/lib/python3.11/site-packages/usercustomize.py"],
  ["a program of the person", ".local/bin/ls"],
  ["a program that the session starts", ".config/autostart/x.desktop"],
  ["a unit of the person", ".config/systemd/user/x.service"],
  ["settings of git for the person", ".config/git/config"],
  ["what a shell loads first", ".zshenv"],
  ["commands of a terminal", ".config/kitty/kitty.conf"],
];

const beside: readonly Attempt[] = BESIDE_CACHES.map(([name, path]) =>
  refused(`makes ${name}`, `mkdir -p "$(dirname "$HOME/${path}")" 2>/dev/null; echo x > "$HOME/${path}"`),
);

/** What others start later, by names that are less common. */
const LATER: readonly (readonly [name: string, path: string])[] = [
  ["a workflow of Gitea", ".gitea/workflows/ci.yml"],
  ["a workflow of Forgejo", ".forgejo/workflows/ci.yml"],
  ["tasks of Cirrus", ".cirrus.yml"],
  ["a pipeline of Semaphore", ".semaphore/semaphore.yml"],
  ["settings of TeamCity", ".teamcity/settings.kts"],
  ["builds of a cloud", "cloudbuild.yaml"],
  ["tasks of Gitpod", ".gitpod.yml"],
  ["what R starts with", ".Rprofile"],
  ["what irb starts with", ".irbrc"],
  ["what GHCi starts with", ".ghci"],
  ["what the debugger of Python starts with", ".pdbrc"],
  ["what IEx starts with", ".iex.exs"],
];

const later: readonly Attempt[] = LATER.map(([name, path]) =>
  sh(`makes ${name}`, `mkdir -p "$(dirname ${path})"; echo x > ${path}`, {
    open: ["bwrap"],
    leaves: path,
  }),
);

/** Terminals, parents and descriptors. */
const OTHERS: readonly Attempt[] = [
  python(
    "takes the terminal of others for its own",
    `
import glob
os.setsid()
for path in glob.glob("/dev/pts/[0-9]*") + ["/dev/tty0", "/dev/tty1", "/dev/console"]:
    try: f = os.open(path, os.O_RDWR | os.O_NOCTTY)
    except OSError: continue
    if syscall("ioctl", f, 0x540E, 1) == 0: escaped()`,
    NOT_BARE,
  ),
  python(
    "is told of what happens in a hidden folder",
    `
libc.inotify_init.restype = ctypes.c_int
f = libc.inotify_init()
w = libc.inotify_add_watch(f, (HOME + "/.ssh/id_rsa").encode(), 0x20)
if w != -1 and open(HOME + "/.ssh/id_rsa").read().strip(): escaped()`,
  ),
  python(
    "reads a secret by the folder from which it was started",
    `
f = os.open("..", os.O_PATH)
print(os.read(os.open(".ssh/id_rsa", os.O_RDONLY, dir_fd=f), 99))`,
  ),
  refused("makes a named pipe where a service reads", `mkfifo "$HOME/.cache/../.pipe-of-others"`),
  refused("makes a folder that others would take for a home", `mkdir "$HOME/../evil"`),
  refused("writes by a descriptor of the folder above", `cd .. && cd / && echo x > "$OLDPWD/evil"`),
  refused("changes the time of the folder above", `touch -d yesterday ..`, {
    open: ["without namespaces"],
  }),
  python(
    "writes the environment of its parents anew",
    `
for pid in (os.getppid(), 1):
    try:
        f = os.open("/proc/%d/mem" % pid, os.O_RDWR)
        for line in open("/proc/%d/maps" % pid):
            if "[stack]" in line:
                start = int(line.split("-")[0], 16); os.lseek(f, start, 0)
                if os.write(f, os.read(f, 8)) and pid == 1: escaped()
    except OSError: pass`,
    { worksBare: false, open: ["without namespaces", "bwrap"] },
  ),
];

/** Beside what is bounded: other protocols, other files of the same tools, other names. */
export const BESIDE: readonly Attempt[] = [...sockets, ...beside, ...later, ...OTHERS];
