import { harmlessUse } from "../programs/index.ts";
import { type HookInput, stringAt, type ToolUse } from "../protocol/index.ts";
import { join } from "../system/index.ts";
import {
  inDirectory,
  type SessionWrites,
  secretAt,
  survey,
  type Workspace,
  wiringPart,
} from "../workspace/index.ts";
import { type Footprint, NO_FOOTPRINT } from "./footprint.ts";
import type { GuardContext } from "./judgement.ts";
import { isCodeFile } from "./session-files.ts";

/** Only characters that mean themselves in every shell: one simple command, nothing expanded. */
const PLAIN = /^[A-Za-z0-9 _./:=@,+%-]{1,400}$/;

/** A tool call as far as the guard looks at it. */
export interface JudgedTool {
  readonly tool: Pick<ToolUse, "name" | "canonicalName" | "input">;
  readonly facts: HookInput["facts"];
}

export function isPowerShell({ name }: JudgedTool["tool"]): boolean {
  return /^(pwsh|powershell)$/i.test(name);
}

/** The same of a tool call. Most are plainly harmless, and spared the analysis, which is large. */
export function footprintOfHarmlessCall(
  { tool, facts }: JudgedTool,
  context: GuardContext,
): Footprint | undefined {
  if (tool.canonicalName !== "Bash" || isPowerShell(tool)) return undefined;
  const command = facts.command ?? stringAt(tool.input, "command") ?? "";
  return footprintOfHarmless(command, inDirectory(context, facts.directory));
}

/** After a secret was read, what is otherwise harmless may carry it away. */
function isWatched({ facts }: GuardContext): boolean {
  return facts !== undefined && facts.shown.length + facts.warned.length + facts.packed.length > 0;
}

/**
 * What a plainly harmless command may change: nothing when it only reads, anything around it when it runs a build or
 * a test. Undefined for every other command, and after any failure: that is left to the full analysis.
 */
export function footprintOfHarmless(
  command: string,
  context: GuardContext,
  surveyed: () => Workspace = () => survey(context),
): Footprint | undefined {
  try {
    // Looking at the text alone comes first: surveying costs look-ups on the disk.
    if (context.isPowerShell === true || isWatched(context) || !PLAIN.test(command)) return undefined;
    const workspace = surveyed();
    const use = findHarmlessUse(command, workspace);
    if (use === undefined || (use === "runs" && startsOwnFile(context.written?.()))) return undefined;
    return use === "reads" ? NO_FOOTPRINT : { ...NO_FOOTPRINT, unknownIn: [workspace.directory] };
  } catch {
    return undefined;
  }
}

/** Builds and tests run what the session wrote, by names that no word of the command tells. */
export function startsOwnFile(written: SessionWrites | undefined): boolean {
  return written?.files().some(isCodeFile) === true;
}

export function isHarmlessIn(command: string, context: GuardContext): boolean {
  return footprintOfHarmless(command, context) !== undefined;
}

/**
 * True when a command is certainly harmless, found without a parser. It must never say so of anything the full
 * analysis would object to; a property test holds it to that.
 */
export function isPlainlyHarmless(command: string, workspace: Workspace): boolean {
  return findHarmlessUse(command, workspace) !== undefined;
}

function findHarmlessUse(command: string, workspace: Workspace): ReturnType<typeof harmlessUse> {
  const { custom, paths, programs, managed } = workspace.settings;
  if (custom.length > 0 || programs.length > 0 || paths.noRead.length > 0) return undefined;
  if (!PLAIN.test(command)) return undefined;
  const [program = "", ...rest] = command.split(" ").filter(word => word !== "");
  const use = harmlessUse(program, rest);
  if (use === "runs" && managed !== undefined && managed.missing.length > 0) return undefined;
  return use === undefined || rest.some(word => mayNameSecret(word, workspace, use)) ? undefined : use;
}

/** Any part of the word that could be a path, links followed: to a secret or, when it may be written, to wiring. */
function mayNameSecret(word: string, workspace: Workspace, use: "reads" | "runs"): boolean {
  const pieces = new Set([word, ...word.split(/[:=,]/)]);
  return [...pieces].some(piece => {
    if (piece === "" || piece.startsWith("-")) return false;
    // Names there lead to wherever a process is.
    if (piece.startsWith("/proc/")) return true;
    const path = workspace.disk.resolve(
      piece.startsWith("/") ? piece : join(workspace.directory, piece),
      true,
    );
    return (
      secretAt(workspace, path) !== undefined ||
      workspace.stateHomes.some(home => path.startsWith(home)) ||
      (use === "runs" && wiringPart(workspace, path) !== undefined)
    );
  });
}
