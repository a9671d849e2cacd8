import {
  describe,
  type Invocation,
  isKnown,
  type OperationEffect,
  type Origin,
  type ProgramEffect,
  type Value,
  words,
} from "../../shell/index.ts";
import type { ParsedCall } from "../model/program.ts";

/** Processes of many programs, or of the machine itself, have these names; so have those of interpreters and shells. */
const SHARED_NAMES = words(`
  java dotnet code cursor electron postgres postgresql mysqld mongod redis-server docker dockerd containerd kubelet sshd
  systemd init launchd cron crond nginx httpd apache2 tmux screen login getty dbus-daemon gnome-shell xorg explorer
  svchost winlogon lsass csrss claude codex copilot gemini
`);
const MAX_SOURCES = 32;

/** A name that says nothing of what the process is for: ending all of that name ends what others run. */
function isShared(written: string, { scope }: ParsedCall): boolean {
  const name = written.replace(/^\^|\$$|[[\]\\]/g, "").replace(/\.exe$/i, "");
  if (/^[.*]*$/.test(name)) return true;
  return scope.session.programs.runsCode(name) || SHARED_NAMES.includes(name.toLowerCase());
}

function ending(what: string, target: string, verdict?: "deny"): OperationEffect {
  return {
    kind: "operation",
    rule: "sys.kill",
    what,
    target,
    names: [],
    ...(verdict === undefined ? {} : { verdict }),
  };
}

/** The process number -1 means all of them; in front of other numbers it is a signal. Lists are looked into. */
export function effectsOfKill(call: ParsedCall): readonly ProgramEffect[] {
  const given = call.argv.slice(1);
  const shown = given.map(describe);
  if (shown.includes("-l") || shown.includes("-L") || shown.includes("-0")) return [];
  const target = `kill ${shown.join(" ")}`;
  if (shown.at(-1) === "-1") return [ending("end every process", target, "deny")];
  const listed = given.filter(word => !isKnown(word)).flatMap(word => sourcesOf(word, call));
  return listed.length > 0 && isBroad(listed, call) ? [ending("end every process of a list", target)] : [];
}

/** The programs whose output a word was made of, through pipes. */
function sourcesOf(word: Value, { scope, id }: ParsedCall): readonly Invocation[] {
  const { invocations } = scope.session;
  const found = new Map<number, Invocation>();
  const visit = (origins: readonly Origin[]): void => {
    for (const origin of origins) {
      const source = "invocation" in origin ? invocations[origin.invocation] : undefined;
      if (source === undefined || source.id >= id || found.size >= MAX_SOURCES || found.has(source.id))
        continue;
      found.set(source.id, source);
      visit(source.stdin?.origins ?? []);
    }
  };
  visit(word.origins);
  const pipelines = new Set([...found.values()].flatMap(({ pipeline }) => pipeline?.id ?? []));
  const members = invocations.filter(({ pipeline }) => pipeline !== undefined && pipelines.has(pipeline.id));
  return [...new Set([...found.values(), ...members])];
}

/** Processes were listed, and nothing said which ones are meant. */
function isBroad(sources: readonly Invocation[], call: ParsedCall): boolean {
  const patterns = sources.flatMap(patternsOf);
  return sources.some(listsProcesses) && patterns.every(pattern => isShared(pattern, call));
}

function listsProcesses({ program, argv }: Invocation): boolean {
  if (!/^(ps|pgrep|pidof|tasklist|procs)$/.test(program ?? "")) return false;
  // Children of a process, or those of one terminal, are meant ones.
  return !argv.some(word => /^(-P|--parent|--ppid|-g|--pgroup|-s|--session|-p|--pid)/.test(describe(word)));
}

/** Texts that processes were chosen by. */
function patternsOf({ program, argv }: Invocation): readonly string[] {
  const given = argv.slice(1).map(describe);
  const operands = given.filter(word => !word.startsWith("-"));
  switch (program) {
    case "pgrep": {
      const users = given.flatMap((word, at) =>
        /^-[A-Za-z]*[uUGtgFs]$/.test(word) ? (given[at + 1] ?? []) : [],
      );
      const named = operands.filter(word => !users.includes(word));
      // A whole command line says more than a name.
      const isWhole = given.some(word => /^-[A-Za-z]*f|^--full$/.test(word));
      return isWhole ? named.map(pattern => (/^[.*]*$/.test(pattern) ? pattern : `${pattern} `)) : named;
    }
    case "pidof":
      return operands;
    case "grep":
    case "egrep":
    case "rg":
      return given.some(word => /^-[A-Za-z]*v|^--invert-match$/.test(word)) ? [] : operands.slice(0, 1);
    case "awk":
    case "gawk":
    case "mawk":
      return [...(operands[0] ?? "").matchAll(/\/([^/]{2,})\//g)].map(match => match[1] ?? "");
    default:
      return [];
  }
}

/** By a bare name; `pkill -f` looks at the whole command line, and other options choose as well. */
export function effectsOfKillByName(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands, program } = call;
  const isChosen =
    program === "pkill" && options.has("P", "parent", "g", "pgroup", "s", "session", "t", "terminal");
  if (isChosen || options.has("f", "full", "0")) return [];
  return operands
    .map(describe)
    .filter(name => isShared(name, call))
    .map(name => ending(`end every process called ${name}`, `${program} ${name}`));
}

/** `taskkill /IM node.exe /F`; in the shells of git and MSYS the slash is doubled. */
export function effectsOfTaskKill({ argv }: ParsedCall): readonly ProgramEffect[] {
  const given = argv.slice(1).map(describe);
  const at = given.findIndex(word => /^(?:\/{1,2}|-)(?:im|fi)$/i.test(word));
  if (at < 0) return [];
  return [ending(`end every process called ${given[at + 1] ?? "…"}`, `taskkill ${given.join(" ")}`)];
}
