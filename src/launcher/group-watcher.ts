import { spawn } from "node:child_process";

/**
 * Reads the number of a process group, then waits for a word. When the pipe closes without it, whoever held it was
 * killed, and the group is ended: politely first.
 */
const SCRIPT = `read -r group || exit 0
read -r word && exit 0
kill -s TERM -- "-$group" 2>/dev/null || exit 0
for second in 1 2 3; do
  sleep 1
  kill -s 0 -- "-$group" 2>/dev/null || exit 0
done
kill -s KILL -- "-$group" 2>/dev/null`;

export interface GroupWatcher {
  watch(group: number): void;
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
    // Without a reader there is nobody to tell; the failure of the shell was reported above.
  });
  shell.unref();
  return {
    watch: group => void shell.stdin.write(`${group}\n`),
    dismiss: () => void shell.stdin.end("done\n"),
  };
}
