import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { dropKnown, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { ProgramCall } from "../../shell/walk/call.ts";
import { environmentValueOf } from "../../shell/walk/call.ts";
import { runInNewShell } from "../../shell/walk/code-runs.ts";
import { runInner } from "../../shell/walk/inner.ts";
import { splitString } from "./environment.ts";

/** Programs that can be told, by an option or a variable, to start another one. */

interface StringOptions {
  readonly spec: OptionGrammar;
  readonly names: readonly string[];
  /** What has to stand in front of the command in the value: `exec=`. */
  readonly prefix?: RegExp;
}

const VALUE = (...names: string[]): StringOptions => ({ spec: { values: names.join(" ") }, names });

const OPTIONS: Readonly<Record<string, StringOptions>> = {
  tar: {
    spec: {
      values:
        "-IFCfXTb checkpoint-action to-command use-compress-program info-script new-volume-script rsh-command directory file",
      flags: "-cxtrujJzZvpkOSw",
      optional: "checkpoint",
    },
    names: [
      "checkpoint-action",
      "to-command",
      "I",
      "use-compress-program",
      "F",
      "info-script",
      "new-volume-script",
      "rsh-command",
    ],
    prefix: /^exec=/,
  },
  zip: {
    spec: { values: "TT unzip-command", isSingleDash: true, abbreviates: false },
    names: ["TT", "unzip-command"],
  },
  rsync: { spec: { values: "-e rsh rsync-path", flags: "-avzrlptgoDnuhPq" }, names: ["e", "rsh"] },
  scp: { spec: { values: "-cFiJlPoSXD" }, names: ["o", "S"], prefix: /^ProxyCommand[ =]\s*/i },
  sftp: { spec: { values: "-BbcDFiJloPRSsX" }, names: ["o", "S"], prefix: /^ProxyCommand[ =]\s*/i },
  sort: VALUE("compress-program"),
  split: VALUE("filter"),
  man: VALUE("P", "pager"),
  tcpdump: VALUE("z"),
  nc: { spec: { flags: "-46bCDdFhklNnrStUuvZz", values: "-ceIiMmOPpqsTVWwXx" }, names: ["e", "c"] },
  netcat: {
    spec: { flags: "-46bCDdFhklNnrStUuvZz", values: "-ceIiMmOPpqsTVWwXx" },
    names: ["e", "c"],
  },
  ncat: {
    spec: {
      flags: "-46klnuvCU ssl",
      values: "-ecmdopsiwgG exec sh-exec lua-exec",
    },
    names: ["e", "c", "exec", "sh-exec"],
  },
  wget: VALUE("use-askpass"),
  gdb: {
    spec: { values: "-x ex eval-command iex", isSingleDash: true, abbreviates: false },
    names: ["ex", "eval-command", "iex"],
    prefix: /^(?:shell|!)\s*/,
  },
  sqlite3: {
    spec: { values: "cmd init", isSingleDash: true, abbreviates: false },
    names: ["cmd"],
    prefix: /^\.(?:shell|system|sh)\s+/,
  },
};

/** Programs with a language of their own in which a line can leave for the shell. */
const ESCAPES: Readonly<Record<string, { readonly pattern: RegExp }>> = {
  sqlite3: { pattern: /^\s*\.(?:shell|system|sh)\s+(.*)$/gm },
  psql: { pattern: /\\!\s*(.*)$/gm },
  mysql: { pattern: /^\s*(?:\\!|system)\s+(.*)$/gm },
  mariadb: { pattern: /^\s*(?:\\!|system)\s+(.*)$/gm },
  ed: { pattern: /^\s*!(.*)$/gm },
  gdb: { pattern: /^\s*(?:shell|!)\s*(.*)$/gm },
  ftp: { pattern: /^\s*!(.*)$/gm },
  dc: { pattern: /!\s*([^<>=].*)$/gm },
  m4: { pattern: /\be?syscmd\(`?([^')]*)/g },
};

/** Variables that name a program, and the programs that use them. */
const VARIABLES: Readonly<Record<string, readonly string[]>> = {
  GIT_SSH_COMMAND: ["git"],
  GIT_SSH: ["git"],
  GIT_PAGER: ["git"],
  GIT_EDITOR: ["git"],
  GIT_SEQUENCE_EDITOR: ["git"],
  GIT_EXTERNAL_DIFF: ["git"],
  GIT_ASKPASS: ["git"],
  GIT_PROXY_COMMAND: ["git"],
  PAGER: ["git", "man", "psql", "mysql", "systemctl", "journalctl", "gh", "aws"],
  MANPAGER: ["man"],
  EDITOR: ["git", "crontab", "sudoedit", "visudo", "kubectl", "gh", "systemctl", "less"],
  VISUAL: ["git", "crontab", "sudoedit", "visudo", "kubectl", "gh", "systemctl", "less"],
  KUBE_EDITOR: ["kubectl"],
  LESSOPEN: ["less"],
  LESSCLOSE: ["less"],
  SSH_ASKPASS: ["ssh", "ssh-add", "git"],
  SUDO_ASKPASS: ["sudo"],
  RSYNC_RSH: ["rsync"],
  BROWSER: ["gh", "xdg-open", "man"],
};

/** Follows the strings that `program` was told to run. */
export function runOptionStrings(program: string, call: ProgramCall): void {
  const options = Object.hasOwn(OPTIONS, program) ? OPTIONS[program] : undefined;
  if (options !== undefined) runOptions(options, call);
  const escapes = Object.hasOwn(ESCAPES, program) ? ESCAPES[program] : undefined;
  if (escapes !== undefined) {
    for (const content of [...call.argv.slice(1), ...(call.stdin === undefined ? [] : [call.stdin])]) {
      for (const match of (knownText(content) ?? "").matchAll(escapes.pattern))
        runText(text(match[1] ?? ""), call);
    }
  }
  if (program === "socat") runSocat(call);
  for (const [name, users] of Object.entries(VARIABLES)) {
    if (!users.includes(program)) continue;
    const value = environmentValueOf(call, name);
    if (value !== undefined && value.pieces.length > 0) runText(value, call);
  }
}

function runOptions({ spec, names, prefix }: StringOptions, call: ProgramCall): void {
  for (const option of parseOptions(call.argv, spec).options) {
    if (!names.includes(option.name) || option.value === undefined) continue;
    const match = prefix?.exec(knownPrefix(option.value)) ?? null;
    if (match !== null) runText(dropKnown(option.value, match[0].length), call);
    else if (prefix === undefined || option.name !== names[0]) runText(option.value, call);
  }
}

function runText(given: Value, call: ProgramCall): void {
  const code = /^[|-]+\s*/.test(knownPrefix(given))
    ? dropKnown(given, /^[|-]+\s*/.exec(knownPrefix(given))?.[0].length ?? 0)
    : given;
  if (code.pieces.length > 0)
    runInNewShell(code, { ...call, environment: [] }, { from: "argument", road: "option" });
}

/** `socat TCP:… EXEC:'cmd',pty`, `SYSTEM:'cmd'`. */
function runSocat(call: ProgramCall): void {
  for (const word of call.argv.slice(1)) {
    const match = /^(EXEC|SYSTEM|SHELL):/i.exec(knownPrefix(word));
    if (match === null) continue;
    const command = dropKnown(word, match[0].length);
    const known = knownText(command);
    const trimmed =
      known === undefined
        ? command
        : text(
            known.replace(/,(?:pty|stderr|setsid|sigint|sane|ctty|nofork|pipes|fdin=\d+|fdout=\d+)\b/g, ""),
          );
    if (match[1]?.toUpperCase() === "EXEC") runInner(splitString(trimmed), call, {}, "option");
    else runText(trimmed, call);
  }
}
