import { HOSTS, type HostId, planRegistrations, renderFailure } from "../hosts/index.ts";
import { INSTALLED_IN, isWrapper } from "../programs/index.ts";
import { type FailurePolicy, type JsonObject, STOCK_HOOKS } from "../protocol/index.ts";
import { readText, type UserDirectories } from "../state/index.ts";
import { basename, dirname, join, quoteWord, type System } from "../system/index.ts";
import type { FileEdit } from "./file-edit.ts";
import { findOnPath } from "./find-program.ts";
import { isEphemeral, programFolder } from "./package.ts";
import { INSTALLABLE_HOSTS } from "./targets.ts";

interface WrapperOptions {
  readonly version: string;
  /** program and first arguments; each is looked for before it is started */
  readonly command: readonly string[];
  /** the command that brings a missing part back, where installing again would not */
  readonly repair?: string | undefined;
}

interface HookWrapperOptions extends WrapperOptions {
  /** where configuration and state are, whatever the environment says at a call; only our own program takes it */
  readonly stateHome?: string | undefined;
  /** what a hook does when it cannot be run */
  readonly policyOf: (subcommand: string) => FailurePolicy;
}

const REASON = "could not check this: a part of amplihack is missing; run: ";
const INSTALL = "amplihack install";
const NO_OPINION = "{}\n";
/** How the hook program, which started and could not load its hook, asks for the answer by the failure policy. */
const NOT_LOADED = "--not-loaded";

/** Starts the command line program. */
export function programWrapper(options: WrapperOptions): string {
  const remedy = options.repair === undefined ? "install amplihack again" : `run: ${options.repair}`;
  return `${opening(options)}printf '%s\\n' "amplihack: $part is missing; "${quoteWord(remedy)} >&2
exit 127
`;
}

/**
 * Whether a script was written to its end: it has more than its first line, and the last one ends. The shell reads letter by
 * letter, which takes about a millisecond.
 */
const WHOLE = `whole() {
  lines=0
  while IFS= read -r rest; do lines=$((lines + 1)); done
  [ -z "$rest" ] && [ "$lines" -gt 1 ]
}
`;

/**
 * Starts the hook program. Where that is not possible it says so and answers by the failure policy in the form of
 * the host that calls, as the hook program itself would. Node ends with 1 for a script that is cut off, which hosts let
 * pass: under another policy than that, the script is looked at first.
 */
export function hookWrapper(options: HookWrapperOptions): string {
  const telemetry = '{"hook":"%s","duration_us":0,"result":"panic","error":"not started"}\\n';
  const more = options.stateHome === undefined ? [] : [INSTALLED_IN, options.stateHome];
  const script = options.command.slice(1).at(-1);
  const isLookedAt =
    script !== undefined && STOCK_HOOKS.some(({ name }) => options.policyOf(name) !== "open");
  const conditions = [
    `[ "\${1-}" != ${NOT_LOADED} ]`,
    ...(isLookedAt ? [`whole < ${quoteWord(script)}`] : []),
  ];
  const reason = REASON + (options.repair ?? INSTALL);
  const start = opening(options, more, { conditions, functions: isLookedAt ? WHOLE : "" });
  return `${start}[ "\${1-}" = ${NOT_LOADED} ] && shift && part='its code'
hook=$(printf '%s' "\${1-}" | tr -c 'a-z' '_')
printf '%s\\n' ${quoteWord(reason)} "($part)" >&2
printf ${quoteWord(telemetry)} "$hook" >&2
case "\${1-} \${3-} \${5-}" in
${answerCases(options.policyOf, reason)}esac
printf '{}\\n'
`;
}

/** Ends with the name of the missing part in `$part`. */
function opening(
  { version, command }: WrapperOptions,
  more: readonly string[] = [],
  { conditions = [], functions = "" }: { conditions?: readonly string[]; functions?: string } = {},
): string {
  const words = command.map(quoteWord).join(" ");
  const line = [...command, ...more].map(quoteWord).join(" ");
  const tests = command.map((word, index) => `[ ${index === 0 ? "-x" : "-r"} ${quoteWord(word)} ]`);
  return `#!/bin/sh
# Written by amplihack ${version.replace(/[\r\n]/g, " ")}. Changes are lost at the next install.
${functions}${[...tests, ...conditions].join(" && ")} && exec ${line} "$@"
for part in ${words}; do [ -r "$part" ] || break; done
`;
}

/** Lines of a `case`, one for all calls that get the same answer; the usual "no opinion" needs none. */
function answerCases(policyOf: (subcommand: string) => FailurePolicy, reason: string): string {
  const patterns = new Map<string, string[]>();
  const add = (pattern: string, { stdout, exitCode }: FailureAnswer) => {
    if (stdout === NO_OPINION && exitCode === 0) return;
    const print = stdout === "" ? "" : `printf '%s' ${quoteWord(stdout)}; `;
    const action = `${print}exit ${exitCode}`;
    patterns.set(action, [...(patterns.get(action) ?? []), pattern]);
  };
  for (const calls of [
    ...INSTALLABLE_HOSTS.map(host => listWrappedCalls(host, policyOf, reason)),
    sharedCalls(policyOf, reason),
  ]) {
    const [first] = calls;
    const isUniform = first !== undefined && calls.every(call => isSameAnswer(call, first));
    if (isUniform && first.host !== "") add(`*' ${first.host} '*`, first);
    else
      for (const call of calls) add(quoteWord(`${call.subcommand} ${call.host} ${call.nativeEvent}`), call);
  }
  return [...patterns].map(([action, found]) => `${found.join(" | ")}) ${action} ;;\n`).join("");
}

interface FailureAnswer {
  readonly stdout: string;
  readonly exitCode: number;
}

/** A call as its command line tells it; host and event are not told in files that several hosts read. */
interface WrappedCall extends FailureAnswer {
  readonly subcommand: string;
  readonly host: string;
  readonly nativeEvent: string;
}

function isSameAnswer(one: FailureAnswer, other: FailureAnswer): boolean {
  return one.stdout === other.stdout && one.exitCode === other.exitCode;
}

function isShared(host: HostId): boolean {
  const { registration } = HOSTS[host];
  return registration === undefined || registration.isShared === true;
}

function listWrappedCalls(
  host: HostId,
  policyOf: (subcommand: string) => FailurePolicy,
  reason: string,
): readonly WrappedCall[] {
  if (isShared(host)) return [];
  return planRegistrations(host).registrations.map(({ subcommand, event, nativeEvent }) => ({
    subcommand,
    host,
    nativeEvent,
    ...failureAnswer(host, event, { nativeEvent, policy: policyOf(subcommand), reason }),
  }));
}

/** Several hosts start the same line and each takes its own members from the answer. */
function sharedCalls(
  policyOf: (subcommand: string) => FailurePolicy,
  reason: string,
): readonly WrappedCall[] {
  const answers = new Map<string, FailureAnswer>();
  for (const host of INSTALLABLE_HOSTS.filter(isShared)) {
    for (const { subcommand, event, nativeEvent } of planRegistrations(host).registrations) {
      const answer = failureAnswer(host, event, { nativeEvent, policy: policyOf(subcommand), reason });
      const known = answers.get(subcommand);
      answers.set(subcommand, known === undefined ? answer : merged(known, answer));
    }
  }
  return [...answers].map(([subcommand, answer]) => ({ subcommand, host: "", nativeEvent: "", ...answer }));
}

interface Failure {
  readonly nativeEvent: string;
  readonly policy: FailurePolicy;
  readonly reason: string;
}

function failureAnswer(host: HostId, event: string, failure: Failure): FailureAnswer {
  const { stdout, exitCode } = renderFailure(host, { event, ...failure });
  return { stdout, exitCode };
}

function merged(one: FailureAnswer, other: FailureAnswer): FailureAnswer {
  const members = [one, other]
    .filter(answer => answer.stdout !== "")
    .map(answer => JSON.parse(answer.stdout) as JsonObject);
  return {
    stdout: members.length === 0 ? "" : `${JSON.stringify(Object.assign({}, ...members))}\n`,
    exitCode: Math.max(one.exitCode, other.exitCode),
  };
}

/** Commands for the user's shell, when `amplihack` would not be found there otherwise. */
export interface UserCommands {
  readonly wanted: readonly { readonly path: string; readonly text: string }[];
  readonly warnings: readonly string[];
  /** their folder, when the shell does not look there */
  readonly missingOnPath: string | undefined;
}

const NAMES = ["amplihack", "amplihack-hooks"];

export function planUserCommands(system: System, places: UserDirectories, version: string): UserCommands {
  const folder = join(places.home, ".local", "bin");
  const isLasting = (path: string) => !isEphemeral(path) && dirname(path) !== folder;
  if (findOnPath(system, "amplihack", isLasting) !== undefined)
    return { wanted: [], warnings: [], missingOnPath: undefined };
  const paths = NAMES.map(name => join(folder, name));
  const foreign = paths.filter(path => isForeign(system, path));
  const wanted = paths
    .filter(path => !foreign.includes(path))
    .map(path => {
      const command = [join(programFolder(places), path.slice(folder.length + 1))];
      return { path, text: programWrapper({ version, command }) };
    });
  const isOnPath = (system.env.get("PATH") ?? "").split(":").includes(folder);
  return {
    wanted,
    warnings: foreign.map(path => `${path} is not a file of amplihack, so it is left alone`),
    missingOnPath: isOnPath || wanted.length === 0 ? undefined : folder,
  };
}

const PROGRAM_BYTES = 256 * 1024 * 1024;

function isForeign(system: System, path: string): boolean {
  const text = readText(system, path, PROGRAM_BYTES);
  return text !== undefined && !isWrapper(text);
}

// A block of our own in a shell's start-up file, written only when the user agreed.

const OPENING = "# >>> amplihack >>>";
const CLOSING = "# <<< amplihack <<<";

/** The text with the block in it, once. */
function withBlock(text: string, lines: readonly string[]): string {
  const block = `${[OPENING, ...lines, CLOSING].join("\n")}\n`;
  const without = withoutBlock(text);
  const start = without === "" || without.endsWith("\n") ? without : `${without}\n`;
  return `${start}${block}`;
}

export function withoutBlock(text: string): string {
  const start = text.indexOf(`${OPENING}\n`);
  const end = start < 0 ? -1 : text.indexOf(CLOSING, start);
  if (end < 0) return text;
  const after = end + CLOSING.length;
  return text.slice(0, start) + text.slice(text[after] === "\n" ? after + 1 : after);
}

interface ProfilePlan {
  /** undefined for a shell whose files we do not know */
  readonly edit: FileEdit | undefined;
  /** what the user can do by hand */
  readonly step: string;
}

const FILES: Readonly<Record<string, string>> = {
  bash: ".bashrc",
  zsh: ".zshrc",
  sh: ".profile",
  dash: ".profile",
};

/** How to make the user's shell look into a folder. */
export function planProfile(system: System, { home }: UserDirectories, folder: string): ProfilePlan {
  const file = FILES[basename(system.env.get("SHELL") ?? "/bin/sh")];
  const line = `export PATH=${quoteWord(folder)}:"$PATH"`;
  const step = `add ${folder} to your PATH: ${line}`;
  if (file === undefined) return { edit: undefined, step };
  return {
    step,
    edit: {
      path: join(home, file),
      mode: 0o644,
      compute: current => ({ ok: true, text: withBlock(current ?? "", [line]) }),
    },
  };
}
