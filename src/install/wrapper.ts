import { HOSTS, type HostId, planRegistrations, renderFailure } from "../hosts/index.ts";
import { INSTALLED_IN } from "../programs/index.ts";
import { type FailurePolicy, type JsonObject, STOCK_HOOKS } from "../protocol/index.ts";
import { quoteWord } from "../system/index.ts";
import { INSTALLABLE_HOSTS } from "./targets.ts";

export interface WrapperOptions {
  readonly version: string;
  /** program and first arguments; each is looked for before it is started */
  readonly command: readonly string[];
  /** the command that brings a missing part back, where installing again would not */
  readonly repair?: string | undefined;
}

export interface HookWrapperOptions extends WrapperOptions {
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
    ...INSTALLABLE_HOSTS.map(host => callsOf(host, policyOf, reason)),
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

function callsOf(
  host: HostId,
  policyOf: (subcommand: string) => FailurePolicy,
  reason: string,
): readonly WrappedCall[] {
  if (isShared(host)) return [];
  return planRegistrations(host).registrations.map(({ subcommand, event, nativeEvent }) => ({
    subcommand,
    host,
    nativeEvent,
    ...answerOf(host, event, { nativeEvent, policy: policyOf(subcommand), reason }),
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
      const answer = answerOf(host, event, { nativeEvent, policy: policyOf(subcommand), reason });
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

function answerOf(host: HostId, event: string, failure: Failure): FailureAnswer {
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
