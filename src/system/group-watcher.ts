import { spawn } from "node:child_process";

/**
 * Keeps a list of process groups. When the pipe closes without the word `done`, the process that held it was killed,
 * and what is on the list is ended: with SIGTERM first.
 */
const SCRIPT = `groups=' '
while read -r word group; do
  case $word in
    watch) groups="$groups$group " ;;
    forget) case $groups in *" $group "*) groups="\${groups%% "$group" *} \${groups#* "$group" }" ;; esac ;;
    done) exit 0 ;;
  esac
done
any_left() {
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && return 0; done
  return 1
}
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
for second in 1 2 3; do
  any_left || exit 0
  sleep 1
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done`;

/** Ends process groups when this process is killed and cannot do it itself. */
export interface GroupWatcher {
  watch(group: number): void;
  /** The group has ended; its number may soon belong to another process. */
  forget(group: number): void;
  dismiss(): void;
}

/** A small shell outside of our group, because nothing runs in a process that was killed. */
export function startGroupWatcher(onFailure: (reason: string) => void): GroupWatcher {
  const shell = spawn("/bin/sh", ["-c", SCRIPT], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    env: { PATH: "/usr/bin:/bin" },
  });
  shell.on("error", error => onFailure(error.message));
  shell.stdin.on("error", () => {
    // A shell that is gone was reported above.
  });
  shell.unref();
  return {
    watch: group => void shell.stdin.write(`watch ${group}\n`),
    forget: group => void shell.stdin.write(`forget ${group}\n`),
    dismiss: () => void shell.stdin.end("done\n"),
  };
}

/** The same, started only when there is something to watch. */
export function createGroupWatcher(onFailure: (reason: string) => void): GroupWatcher {
  let started: GroupWatcher | undefined;
  return {
    watch: group => {
      started ??= startGroupWatcher(onFailure);
      started.watch(group);
    },
    forget: group => started?.forget(group),
    dismiss: () => started?.dismiss(),
  };
}
