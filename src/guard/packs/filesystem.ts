import { inspectDelete, inspectMove } from "../checks/removal.ts";
import { inspectAttributes, inspectWrite } from "../checks/writing.ts";
import type { Rule } from "../rule.ts";
import type { Pack } from "../rule-context.ts";

const RULES: readonly Rule[] = [
  {
    id: "fs.root",
    title: "destroys the system",
    verdict: "deny",
    isAllowable: false,
    when: "A recursive delete, a move away, or a recursive change of mode or owner can reach /, a system directory or a drive.",
    lost: "It would destroy {target}, which the whole system needs.",
    safer: "ls -la {target}",
  },
  {
    id: "fs.home",
    title: "destroys personal data",
    verdict: "deny",
    isAllowable: false,
    when: "The same for the home directory, its direct children, the homes of others, or configuration trees in it.",
    lost: "It would destroy personal data in {target}.",
    safer: "ls -la {target}",
  },
  {
    id: "fs.project",
    title: "loses the project",
    verdict: "deny",
    when: "Deletes the project's top, everything in it, or its .git history.",
    lost: "It would lose work and history of the project: {target}.",
    safer: "git clean -nd",
  },
  {
    id: "fs.cwd",
    title: "removes the working directory",
    verdict: "deny",
    when: "Deletes, moves or renames the session's working directory or one above it.",
    lost: "It would {action} {target}, which holds the working directory {held}: every later command of this session would break. Change directory first, in a call of its own.",
    safer: "cd {parent}",
  },
  {
    id: "fs.outside",
    title: "deletes outside the project",
    verdict: "ask",
    when: "A recursive delete outside the project and outside temporary directories.",
    lost: "It would delete {target}, which is outside this project and may be somebody's data.",
    safer: "ls -la {target}",
  },
  {
    id: "fs.source",
    title: "deletes project files",
    verdict: "ask",
    when: "A recursive delete of a directory in the project that no tool can make again.",
    lost: "It would delete {target}, which may hold work that is not committed.",
    safer: "git rm -r -n {target}",
  },
  {
    id: "fs.unresolved",
    title: "deletes an unknown target",
    verdict: "ask",
    atLevel: { strict: "deny" },
    when: "A recursive delete whose target may be empty, absolute or anything.",
    lost: "It would delete {target}, and nobody can tell what that is; when a part is empty it can become /.",
    safer: "{preview}",
  },
  {
    id: "fs.bulk",
    title: "deletes many files",
    verdict: "ask",
    when: "A search or a list decides what is deleted, and its filter is not limited to build output or junk.",
    lost: "It would delete every file that matches in {target}, whatever it is.",
    safer: "{preview}",
  },
  {
    id: "fs.mirror",
    title: "deletes by mirroring",
    verdict: "ask",
    when: "rsync --delete, rclone sync, robocopy /MIR and the like, judged as a recursive delete of the target; dry runs are free.",
    lost: "It would delete everything in {target} that is not in the source.",
    safer: "rsync -n --delete SOURCE {target}",
  },
  {
    id: "fs.system-write",
    title: "changes the system",
    verdict: "deny",
    when: "Writes to, deletes or links files of the system (/etc, /boot, /usr, /bin, /lib, /sys, /proc); below /usr/local it asks.",
    lost: "It would change {target}, a file of the system that every program relies on.",
    safer: "ls -l {target}",
  },
  {
    id: "fs.rcfile",
    title: "changes a start-up file",
    verdict: "ask",
    atLevel: { relaxed: "allow" },
    when: "Writes shell start-up files, launch agents, user units or login hooks; authorized_keys is denied.",
    lost: "It would change {target}, which runs at every login from now on.",
    safer: "tail -n 20 {target}",
  },
  {
    id: "fs.shred",
    title: "shreds files",
    verdict: "ask",
    when: "Overwrites files outside temporary directories so that nothing can bring them back; on system or home files it denies.",
    lost: "It would overwrite {target} beyond any recovery.",
    safer: "ls -l {target}",
  },
  {
    id: "fs.path",
    title: "touches a path you protected",
    verdict: "deny",
    when: "Writes to or deletes a path listed in paths.deny or paths.noDelete of the configuration.",
    lost: "It would change {target}, which the configuration protects.",
    safer: "ls -l {target}",
  },
];

export const filesystem: Pack = {
  name: "filesystem",
  rules: RULES,
  inspect(effect, context) {
    if (effect.kind === "delete") inspectDelete(effect, context);
    else if (effect.kind === "move") inspectMove(effect, context);
    else if (effect.kind === "write") inspectWrite(effect, context);
    else if (effect.kind === "attributes") inspectAttributes(effect, context);
  },
};
