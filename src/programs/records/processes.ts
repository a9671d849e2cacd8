import {
  describe,
  type Invocation,
  isKnown,
  type OperationEffect,
  type Origin,
  type ProgramEffect,
  type Value,
  wordSet,
} from "../../shell/index.ts";
import type { ParsedCall } from "../model/program.ts";

// Which processes a call ends: one that is meant, or whatever a list has in it.

/** Processes of many programs, or of the machine itself, have these names; so have those of interpreters and shells. */
const SHARED_NAMES = wordSet(`
  java dotnet code cursor electron postgres postgresql mysqld mongod redis-server docker dockerd containerd kubelet sshd
  systemd init launchd cron crond nginx httpd apache2 tmux screen login getty dbus-daemon gnome-shell xorg explorer
  svchost winlogon lsass csrss
`);
/** The agent that this call is for, and what judges its calls, wherever the name stands in a command line. */
const OWN_NAMES = /(?:^|[^a-z])(?:amplihack|claude|codex|copilot|gemini|opencode)(?:-\w+)?(?=$|[^a-z/.-])/i;
const MAX_SOURCES = 32;

/** A name that says nothing of what the process is for: ending all of that name ends what others run. */
function isShared(written: string, { scope }: ParsedCall): boolean {
  const name = written.replace(/^\^|\$$|[[\]\\]/g, "").replace(/\.exe$/i, "");
  // Classes and signs alone choose nothing: `[a-z]*`, `^[0-9]+$`.
  const plain = written.replace(/\[(?=[^\]-]{0,200}-)[^\]]{0,200}\]|\\[wWdDsSb]|[[\]{}()^$.*+?|\\\d,]/g, "");
  if (plain.trim() === "" && !/^:?\d{2,}/.test(written)) return true;
  if (isOwnProcess(name.trim())) return true;
  return scope.session.programs.runsCode(name) || SHARED_NAMES.has(name.toLowerCase());
}

/** It names one of them, or only a part of its name. */
function isOwnProcess(pattern: string): boolean {
  return OWN_NAMES.test(pattern) || (pattern.length > 2 && "amplihack-hooks".includes(pattern));
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
  if (given.some(isEveryNumber)) return [ending("end every process", target)];
  if (shown.some(word => /^-?\$\{?PPID\}?$/.test(word)))
    return [ending("end the program that started this shell", target)];
  if (shown.filter(word => /^\d+$/.test(word)).length > MAX_NUMBERS)
    return [ending("end every process of a range", target)];
  if (given.some(word => word.origins.some(isOfProcesses))) return [ending("end every process", target)];
  const listed = given.filter(word => !isKnown(word)).flatMap(word => listSources(word, call));
  return listed.length > 0 && isBroad(listed, call) ? [ending("end every process of a list", target)] : [];
}

const ENDS = wordSet("stop kill quit terminate shutdown destroy halt poweroff delete down");
/** How programs list what they have. */
const LISTS = /^-{0,2}(?:list(?:-[\w-]+)?|lists|ls|ps|(?:[\w]+-)?status(?:-all)?|show)$/;

/** `acme list | awk '{print $1}' | xargs acme stop`: whatever the list has in it is ended, and nothing chose from it. */
export function effectsOfEndingAll(call: ParsedCall): readonly OperationEffect[] {
  const shown = call.argv.slice(1).map(describe);
  if (!shown.slice(0, 3).some(word => ENDS.has(word.replace(/^-+/, "")))) return [];
  const given = call.argv.slice(1).filter(word => !isKnown(word));
  if (given.length === 0) return [];
  const sources = given.flatMap(word => listSources(word, call));
  const hasArgument = (test: RegExp) =>
    sources.some(({ argv }) => argv.slice(1).some(word => test.test(describe(word))));
  const isChosen = hasArgument(/^(?:--filter|--selector|-l$)/);
  if (
    !hasArgument(LISTS) ||
    isChosen ||
    !sources.flatMap(listPatterns).every(pattern => isShared(pattern, call))
  )
    return [];
  return [ending("end everything of a list", call.argv.map(describe).join(" "))];
}

/** Taken from the names in the folder of all processes. */
function isOfProcesses(origin: Origin): boolean {
  return origin.kind === "file" && /^\/proc(?:\/|$)/.test(describe(origin.path));
}

/** More numbers than anybody writes by hand: a range. */
const MAX_NUMBERS = 16;
const RANGE = /^\{?(\d+)(?:\.\.|-)(\d+)\}?$/;
/** Numbers by a pattern are those of the folder of all processes. */
const NUMBERS_BY_PATTERN = /^(?:\/proc\/)?(?=[\s\S]*[[*?])[[\]0-9^*?-]+\/?$/;

function isEveryNumber(word: Value): boolean {
  const shown = describe(word);
  return (
    RANGE.test(shown) || (word.pieces.some(piece => piece.kind === "glob") && NUMBERS_BY_PATTERN.test(shown))
  );
}

/** The programs whose output a word was made of, through pipes. */
function listSources(word: Value, { scope, id }: ParsedCall): readonly Invocation[] {
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
  const patterns = sources.flatMap(listPatterns);
  return sources.some(listsProcesses) && patterns.every(pattern => isShared(pattern, call));
}

/** Prints the numbers of all processes, of a user's, or of whatever uses a place, or just all numbers. */
function listsProcesses({ program, argv, redirections }: Invocation): boolean {
  const given = argv.slice(1).map(describe);
  const isOfSystem = (word: string): boolean => /^\/(?:proc|sys)(?:\/|$)/.test(word);
  switch (program) {
    case "ps":
    case "pgrep":
    case "pidof":
    case "tasklist":
    case "nvidia-smi":
    case "procs":
      // Children of a process, or those of one terminal, are meant ones.
      return !given.some(word => /^(-P|--parent|--ppid|-g|--pgroup|-s|--session|-p|--pid|-C$)/.test(word));
    case "pstree":
    case "top":
    case "who":
    case "w":
      return true;
    case "lsof":
      // An address or a file behind it says whose processes are meant.
      return (
        given.some(isWideRange) ||
        !given.some(word => /^-[a-hj-zA-Z]*i.|^[@:]|^[^-/].*\/|^(?:tcp|udp)?:?\d+/i.test(word))
      );
    case "seq":
    case "jot":
      return given.filter(word => /^\d+$/.test(word)).some(word => Number(word) > MAX_NUMBERS);
    case "ls":
    case "find":
    case "fd":
    case "cat":
    case "echo":
    case "printf":
      return [...given, ...redirections.map(({ target }) => describe(target))].some(isOfSystem);
    default:
      return redirections.some(({ target }) => isOfSystem(describe(target)));
  }
}

/** `:1-65535`: more ports than one program has. */
function isWideRange(word: string): boolean {
  const [, from = "", to = ""] = /(\d{1,5})-(\d{1,5})$/.exec(word) ?? [];
  return Number(to) - Number(from) > MAX_NUMBERS;
}

/** Texts that processes were chosen by. */
function listPatterns({ program, argv }: Invocation): readonly string[] {
  const given = argv.slice(1).map(describe);
  const operands = given.filter(word => !word.startsWith("-"));
  switch (program) {
    case "pgrep": {
      if (given.some(word => /^-[A-Za-z]*v|^--inverse$/.test(word))) return [];
      const users = given.flatMap((word, at) =>
        /^-[A-Za-z]*[uUGtgFs]$/.test(word) ? (given[at + 1] ?? []) : [],
      );
      const named = operands.filter(word => !users.includes(word));
      const isWhole = given.some(word => /^-[A-Za-z]*f|^--full$/.test(word));
      return named.flatMap(pattern => namesChosen(pattern, isWhole));
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

/** `node|python`: each of them. Of a whole command line one name says more than the name of a process, several say less. */
function namesChosen(pattern: string, isWhole: boolean): readonly string[] {
  const names = pattern.split("|");
  return isWhole && names.length === 1 && !/^[.*]*$/.test(pattern) ? [`${pattern} `] : names;
}

/** By a bare name; `pkill -f` looks at the whole command line, and other options choose as well. */
export function effectsOfKillByName(call: ParsedCall): readonly ProgramEffect[] {
  const { options, operands, program } = call;
  const isChosen =
    program === "pkill" && options.has("P", "parent", "g", "pgroup", "s", "session", "t", "terminal");
  if (isChosen || options.has("0")) return [];
  const isWhole = options.has("f", "full");
  return operands
    .map(describe)
    .filter(name => namesChosen(name, isWhole).some(one => isShared(one, call)))
    .map(name => ending(`end every process called ${name}`, `${program} ${name}`));
}

/** `taskkill /IM node.exe /F`; in the shells of git and MSYS the slash is doubled. */
export function effectsOfTaskKill({ argv }: ParsedCall): readonly ProgramEffect[] {
  const given = argv.slice(1).map(describe);
  const at = given.findIndex(word => /^(?:\/{1,2}|-)(?:im|fi)$/i.test(word));
  if (at < 0) return [];
  return [ending(`end every process called ${given[at + 1] ?? "…"}`, `taskkill ${given.join(" ")}`)];
}
