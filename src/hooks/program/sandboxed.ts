import { effectiveAutonomy } from "../../config/index.ts";
import type { Footprint, GapKind, Judgement } from "../../guard/index.ts";
import { canonicalInput, hostOrDefault, nativeInput } from "../../hosts/index.ts";
import {
  defined,
  type InputOf,
  isJsonObject,
  type JsonObject,
  listAt,
  memberAt,
  readJson,
  stringAt,
} from "../../protocol/index.ts";
import { findSessionId, readText, removeIfThere } from "../../state/index.ts";
import { isInside, join, quoteWord, type System } from "../../system/index.ts";
import { PRIVATE_MEMORY, survey, type Workspace, whyNotCaught } from "../../workspace/index.ts";
import { overriddenRule } from "./answer.ts";
import type { ConfiguredGuard } from "./guard-context.ts";
import { isStartedWith } from "./process-tree.ts";

// A call that is not understood runs in the sandbox. The hook writes down what was called, and rewrites the command into
// one that names only the id of what was written.

/** `try`: its changes of the project are caught, and judged before they become real. */
export type SandboxMode = "run" | "try";

/** A call that was sent to the sandbox, as it is written down until the sandbox takes it. */
export interface SandboxedCall {
  readonly mode: SandboxMode;
  readonly command: string;
  readonly host: string;
  readonly session?: string | undefined;
  /** rules that would have asked */
  readonly rules: readonly string[];
}

const FOLDER = "sandbox";
const CALLS = "calls";
const MAX_BYTES = 4 * 1024 * 1024;
const ID_LENGTH = 24;

/** What the machine was last seen to be able to do, by whoever tried it (`checkSandbox`). */
export interface SandboxAbility {
  /** every rule of a policy is enforced: what is open without a layer would have to be asked about */
  readonly isWhole: boolean;
  readonly canTry: boolean;
}

export function readAbility(system: Pick<System, "files" | "text">, stateHome: string): SandboxAbility {
  const read = readJson(readText(system, join(stateHome, FOLDER, "layers.json"), MAX_BYTES) ?? "");
  const works = (name: string) => read.ok && memberAt(read.value, "report", name, "works") === true;
  const isOwn = read.ok && memberAt(read.value, "report", "by") === undefined;
  const isWhole = isOwn && works("namespaces") && works("network") && works("seccomp");
  return { isWhole, canTry: isWhole && works("overlay") };
}

function callPath(stateHome: string, id: string, ending: "json" | "taken" | "directory"): string {
  return join(stateHome, FOLDER, CALLS, `${id}.${ending}`);
}

/** Where the sandbox leaves a `cd` into the directory in which the command ended. */
export function directoryFile(stateHome: string, id: string): string {
  return callPath(stateHome, id, "directory");
}

const IS_ID = /^[0-9a-f]{24}$/;

/** What an id stands for; each runs once. Undefined where nothing waits under it. */
export function takeCall(system: System, stateHome: string, id: string): SandboxedCall | undefined {
  if (!IS_ID.test(id)) return undefined;
  const [waiting, taken] = [callPath(stateHome, id, "json"), callPath(stateHome, id, "taken")];
  if (system.files.inspect(waiting)?.kind !== "file") return undefined;
  // Of two that take it at once, the second finds nothing to rename.
  system.files.rename(waiting, taken);
  return readCall(system, taken);
}

function readCall(system: Pick<System, "files" | "text">, path: string): SandboxedCall | undefined {
  const read = readJson(readText(system, path, MAX_BYTES) ?? "");
  if (!read.ok || !isJsonObject(read.value)) return undefined;
  const [command, host] = [stringAt(read.value, "command"), stringAt(read.value, "host")];
  if (command === undefined || host === undefined) return undefined;
  const rules = listAt(read.value, "rules").filter(rule => typeof rule === "string");
  const mode = stringAt(read.value, "mode") === "try" ? "try" : "run";
  return { mode, command, host, session: stringAt(read.value, "session"), rules };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Calls that were never run, and those of yesterday. */
export function sweepCalls({ files, clock }: System, stateHome: string): void {
  const folder = join(stateHome, FOLDER, CALLS);
  if (files.follow(folder)?.kind !== "directory") return;
  for (const name of files.list(folder)) {
    const facts = files.inspect(join(folder, name));
    if (facts !== undefined && clock.nowMs() - facts.modifiedMs > DAY_MS)
      removeIfThere(files, join(folder, name));
  }
}

const REWRITTEN = /\/\.claude\/bin\/amplihack'? sandbox call ([0-9a-f]{24}) /;

/** The call as the agent made it, of one that was rewritten: hosts report what ran. */
export function withOriginalCommand<Input extends InputOf<"tool">>(
  input: Input,
  system: Pick<System, "files" | "text">,
  stateHome: string | undefined,
): Input {
  const { tool, facts } = input;
  const id = facts.command === null ? undefined : REWRITTEN.exec(facts.command)?.[1];
  if (id === undefined || stateHome === undefined) return input;
  const found = (["taken", "json"] as const).map(ending => readCall(system, callPath(stateHome, id, ending)));
  const command = found.find(call => call !== undefined)?.command;
  if (command === undefined) return input;
  const changed = { ...canonicalInput(tool.canonicalName, tool.input, facts), command };
  const native = nativeInput(tool.canonicalName, tool.input, facts, changed) ?? tool.input;
  return { ...input, tool: { ...tool, input: native }, facts: { ...facts, command } };
}

/** Gaps that the sandbox closes: whatever runs, it does nothing but what a policy lets it do. */
const BOUNDED: readonly GapKind[] = ["program", "code", "value", "option", "environment"];
/** With its changes caught, also what they are: they are judged afterwards. */
const CAUGHT: readonly GapKind[] = [...BOUNDED, "place", "size"];

/** Questions about local files. The others are about what no catching takes back. */
const OF_FILES: readonly string[] = [
  ..."fs.cwd fs.source fs.unresolved fs.bulk fs.mirror fs.unkept".split(" "),
  ..."git.reset git.checkout git.restore git.switch git.clean git.stash git.branch git.plumbing".split(" "),
  ..."exec.session exec.computed guard.unexamined".split(" "),
];

interface Settled {
  readonly judgement: Judgement;
  readonly footprint: Footprint;
  /** what may be lost can come back */
  readonly isKept: boolean;
}

/** How a call that may be sandboxed is; undefined where it is asked about, or passes, as without a sandbox. */
export function chooseSandboxMode(
  system: System,
  input: InputOf<"tool">,
  guard: ConfiguredGuard,
  { judgement, footprint, isKept }: Settled,
): SandboxMode | undefined {
  const { all, usedGrants, failure, verdict } = judgement;
  if (usedGrants.length > 0 || failure !== undefined) return undefined;
  const ability = readAbility(system, guard.stateHome);
  if (!ability.isWhole) return undefined;
  const workspace = survey(guard.context);
  const places = changedPlaces(footprint);
  // It has another one there, whoever names it.
  if (input.facts.command?.includes(PRIVATE_MEMORY) === true) return undefined;
  if ([workspace.cwd, ...places].some(path => isInside(PRIVATE_MEMORY, path))) return undefined;
  const isOnly = (kinds: readonly GapKind[]) => judgement.gaps().every(({ kind }) => kinds.includes(kind));
  if (verdict === "allow" && isKept && isOnly(BOUNDED)) return "run";
  const isOfFiles = all.every(finding => finding.verdict === "ask" && OF_FILES.includes(finding.rule));
  if (!ability.canTry || !isOfFiles || !isOnly(CAUGHT)) return undefined;
  return !judgement.goesOn() && isTriable(input, system, workspace, places, guard.config.sandbox.write)
    ? "try"
    : undefined;
}

/** The person wants it, the host lets us, and the command is one that a shell of ours can run. */
export function maySandbox(input: InputOf<"tool">, system: System, guard: ConfiguredGuard): boolean {
  const { host, tool, facts, raw } = input;
  if (effectiveAutonomy(guard.config).level !== "sandbox" || !guard.config.parts.includes("guard"))
    return false;
  if (tool.canonicalName !== "Bash" || /^(powershell|pwsh)$/i.test(tool.name)) return false;
  const { command } = facts;
  // Our own commands need the state that the sandbox hides.
  if (command === null || command.trim() === "" || /\bamplihack\b/.test(command)) return false;
  if (system.env.get("AMPLIHACK_SANDBOX") !== undefined) return false;
  const { sandboxing } = hostOrDefault(host);
  if (sandboxing === undefined) return false;
  const { modes } = sandboxing;
  if (modes !== undefined && !modes.includes(stringAt(raw, "permission_mode") ?? "")) return false;
  const { ownSandbox, onlyWith, overrides = [], ruleOptions } = sandboxing;
  if (overriddenRule(host, system, guard, input.cwd, overrides) !== undefined) return false;
  if (ruleOptions !== undefined && isStartedWith(system, ruleOptions)) return false;
  if (onlyWith !== undefined && !isStartedWith(system, onlyWith.word)) return false;
  return ownSandbox === undefined || lastTold(input, system, ownSandbox.told) === ownSandbox.none;
}

const MAX_TRANSCRIPT_BYTES = 8 * 1024 * 1024;

/** Looked for from the end of the session's transcript, in steps. */
function lastTold(
  { transcriptPath }: InputOf<"tool">,
  { files, text }: Pick<System, "files" | "text">,
  told: RegExp,
): string | undefined {
  const facts = transcriptPath === undefined ? undefined : files.follow(transcriptPath);
  if (transcriptPath === undefined || facts?.kind !== "file") return undefined;
  for (let length = 64 * 1024; length <= MAX_TRANSCRIPT_BYTES; length *= 4) {
    const start = Math.max(0, facts.size - length);
    const found = [
      ...text.decode(files.readRange(transcriptPath, start, facts.size - start)).text.matchAll(told),
    ];
    if (found.length > 0 || start === 0) return found.at(-1)?.[1];
  }
  return undefined;
}

/** Its changes can be caught: the call waits for it, and what it names lies in the project or in temporary folders. */
function isTriable(
  input: InputOf<"tool">,
  system: System,
  workspace: Workspace,
  places: readonly string[],
  open: readonly string[],
): boolean {
  const { tool, facts } = input;
  const isBackground = canonicalInput(tool.canonicalName, tool.input, facts)["run_in_background"] === true;
  if (isBackground) return false;
  const project = workspace.project ?? workspace.cwd;
  const isNear = (path: string) => [project, ...workspace.temps].some(root => isInside(root, path));
  return places.every(isNear) && whyNotCaught(system, workspace, project, open) === undefined;
}

/** Where a call changes something, or may. */
function changedPlaces({ targets, repositories, unknownIn }: Footprint): readonly string[] {
  return [
    ...targets.map(({ path }) => path),
    ...repositories.map(({ top, gitDirectory }) => top ?? gitDirectory),
    ...unknownIn,
  ];
}

function noticeFile(stateHome: string, session: string): string {
  return join(stateHome, FOLDER, "notices", session);
}

/** Changes are held: the person is told when the session's next call is judged. */
export function noteHeld(system: System, stateHome: string, session: string, text: string): void {
  const path = noticeFile(stateHome, session);
  system.files.makeDirectory(join(stateHome, FOLDER, "notices"), 0o700);
  system.files.append(path, system.text.encode(`${text}\n`), 0o600);
}

/** What was noted since the last look, once. */
export function takeHeldNotice(
  system: System,
  stateHome: string,
  session: string | undefined,
): string | undefined {
  if (session === undefined) return undefined;
  const path = noticeFile(stateHome, session);
  const noted = readText(system, path, MAX_BYTES);
  if (noted === undefined) return undefined;
  system.files.remove(path);
  return noted.trim();
}

/**
 * The input with which the host runs the call in the sandbox; undefined where the host's form cannot hold it. The shell
 * around it ends in the directory and with the code in which the command ended.
 */
export function rewriteCall(
  input: InputOf<"tool">,
  system: System,
  { stateHome }: ConfiguredGuard,
  mode: SandboxMode,
  rules: readonly string[],
): { readonly input: JsonObject; readonly command: string } | undefined {
  const { tool, facts, host, sessionId } = input;
  const { files, random, text } = system;
  const id = random.hex(ID_LENGTH);
  const changed = {
    ...canonicalInput(tool.canonicalName, tool.input, facts),
    command: rewritten(stateHome, id),
  };
  const native = nativeInput(tool.canonicalName, tool.input, facts, changed);
  if (native === undefined || facts.command === null) return undefined;
  const session = findSessionId(system, sessionId);
  const call: SandboxedCall = defined({ mode, command: facts.command, host, session, rules });
  for (const folder of [stateHome, join(stateHome, FOLDER), join(stateHome, FOLDER, CALLS)])
    files.makeDirectory(folder, 0o700);
  files.createExclusive(callPath(stateHome, id, "json"), text.encode(JSON.stringify(call)), 0o600);
  return { input: native, command: changed.command };
}

function rewritten(stateHome: string, id: string): string {
  const program = quoteWord(join(stateHome, ".claude/bin/amplihack"));
  const directory = quoteWord(directoryFile(stateHome, id));
  // The shell that runs it is the one that the command was written for. Gemini CLI refuses any command substitution.
  return `${program} sandbox call ${id} "\${BASH:-\${ZSH_NAME:-sh}}"; { __amplihack=$?; [ ! -f ${directory} ] || . ${directory}; (exit $__amplihack); }`;
}
