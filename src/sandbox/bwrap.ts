import { spawnSync } from "node:child_process";
import { ancestors, isInside, type System } from "../system/index.ts";
import type { LayerReport } from "./layers.ts";
import type { Hidden, Policy } from "./policy.ts";
import { seccompProgram } from "./seccomp.ts";

/** Never looked for in `PATH`, which a project may have changed. */
const PLACES = ["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];
const TIMEOUT_MS = 20_000;
/** The filter, and where it says that the command was started. */
export const FILTER = 3;
export const STATUS = 4;

/** What stands in for `amplihack-sandbox` on a machine without it; undefined where it is not installed either. */
export function findBwrap({ files }: Pick<System, "files">): string | undefined {
  return PLACES.find(path => files.follow(path)?.kind === "file");
}

/** What is open with it, in words for people; the tests of ways out hold it to this. Calls of hosts are not sent there. */
export const OPEN_WITH_BWRAP: readonly string[] = [
  "files of git and settings that start something later, where there were none before, and links in its folder",
  "network by host: it is off or on as a whole",
  "memory of the first process in the sandbox, which has the rights of the command and no others",
  "writing into named pipes of others",
  "catching changes, for try",
];

export function checkBwrap(program: string): LayerReport {
  const filter = seccompProgram(process.arch);
  const none = (reason: string) => ({ works: false, reason });
  const words = [
    "--unshare-all",
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--",
    "/bin/true",
  ];
  const tried = spawnSync(program, words, { encoding: "utf8", timeout: TIMEOUT_MS });
  const view = tried.status === 0 ? { works: true } : none(tried.stderr?.trim() || "bwrap did not start");
  return {
    by: "bwrap",
    namespaces: view,
    network: view,
    landlock: none("bwrap does not use it"),
    seccomp: filter === undefined ? none("its calls are not known for this machine") : view,
    overlay: none("it needs amplihack-sandbox, which is not installed"),
    landlockVersion: 0,
  };
}

/** What tells of the machine, as `native/sandbox` hides it. */
export const HIDDEN_IN_PROC = ["kcore", "key-users", "keys", "kmsg", "sysrq-trigger", "timer_list"].map(
  name => `/proc/${name}`,
);
/**
 * `bwrap` sets no limits, and its first process takes the filter on beside the command: the command begins when that one
 * has it, so that there is never an unfiltered process to attach to.
 */
const BOUNDED = [
  "/bin/sh",
  "-c",
  `ulimit -c 0
filtered() { while read -r key value _; do [ "$key" != Seccomp: ] || break; done < /proc/1/status; [ "$value" = 2 ]; }
until filtered; do :; done
unset -f filtered
unset key value _
exec "$@"`,
  "sh",
];

/**
 * The words of `bwrap` for a policy. What lies deeper is laid over what lies above it. `maskOf` gives the file that covers a
 * hidden one; undefined for a folder.
 */
export function bwrapWords(
  policy: Policy,
  directory: string,
  command: readonly string[],
  maskOf: (hidden: Hidden) => string | undefined,
): readonly string[] {
  const rootOf = (path: string) => policy.write.find(root => isInside(root, path));
  const kept = [...policy.readOnly, ...policy.hide.map(({ path }) => path)];
  // A folder above what is protected is a mount, so that it cannot be moved away.
  const above = kept.flatMap(path => {
    const root = rootOf(path);
    return root === undefined
      ? []
      : ancestors(path).filter(each => each !== path && each !== root && isInside(root, each));
  });
  const laid = new Map<string, readonly string[]>();
  // With the folder, what was to be hidden in it has gone: files of others come and go.
  for (const path of above) laid.set(path, ["--bind-try", path, path]);
  for (const path of policy.write) laid.set(path, ["--bind", path, path]);
  for (const path of [...policy.readOnly, ...policy.show]) laid.set(path, ["--ro-bind", path, path]);
  for (const hidden of policy.hide) {
    const mask = maskOf(hidden);
    laid.set(hidden.path, mask === undefined ? ["--tmpfs", hidden.path] : ["--ro-bind", mask, hidden.path]);
  }
  // What `bwrap` makes itself can be written to, and `/proc` as its owner, until all is laid below it.
  const closed = [
    "/proc",
    "/dev",
    ...policy.hide.map(({ path }) => path).filter(path => laid.get(path)?.[0] === "--tmpfs"),
  ];
  const mounts = [...laid.keys()].sort((one, other) => ancestors(one).length - ancestors(other).length);
  return [
    ...["--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    ...(policy.network === "on" ? [] : ["--unshare-net"]),
    ...["--die-with-parent", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...["--tmpfs", "/dev/shm"],
    ...mounts.flatMap(path => laid.get(path) ?? []),
    ...closed.flatMap(path => ["--remount-ro", path]),
    ...[
      "--chdir",
      directory,
      "--seccomp",
      String(FILTER),
      "--json-status-fd",
      String(STATUS),
      "--",
      ...BOUNDED,
      ...command,
    ],
  ];
}
