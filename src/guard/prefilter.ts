import { onlyReads } from "../programs/read-only.ts";
import { join } from "../system/paths.ts";
import { type GuardContext, survey, type Workspace } from "./context.ts";
import { secretAt } from "./paths/zones.ts";

/** Only characters that mean themselves in every shell: one simple command, nothing expanded. */
const PLAIN = /^[A-Za-z0-9 _./:=@,+%-]{1,400}$/;

/** The same for a caller that has surveyed nothing yet; any failure leaves the matter to the full analysis. */
export function isHarmlessIn(command: string, context: GuardContext): boolean {
  try {
    // Looking at the text alone comes first: surveying costs look-ups on the disk.
    return (
      context.isPowerShell !== true && PLAIN.test(command) && isPlainlyHarmless(command, survey(context))
    );
  } catch {
    return false;
  }
}

/**
 * True when a command is certainly harmless, found without a parser. It must never say so of anything the full
 * analysis would object to; a property test holds it to that.
 */
export function isPlainlyHarmless(command: string, workspace: Workspace): boolean {
  const { custom, paths, programs } = workspace.settings;
  if (custom.length > 0 || programs.length > 0 || paths.noRead.length > 0) return false;
  if (!PLAIN.test(command)) return false;
  const [program = "", ...rest] = command.split(" ").filter(word => word !== "");
  return onlyReads(program, rest) && !rest.some(word => mayNameSecret(word, workspace));
}

/** Any part of the word that could be a path, links followed. */
function mayNameSecret(word: string, workspace: Workspace): boolean {
  const pieces = new Set([word, ...word.split(/[:=,]/)]);
  return [...pieces].some(piece => {
    if (piece === "" || piece.startsWith("-")) return false;
    const path = workspace.disk.resolve(piece.startsWith("/") ? piece : join(workspace.cwd, piece), true);
    return (
      secretAt(workspace, path) !== undefined || workspace.stateHomes.some(home => path.startsWith(home))
    );
  });
}
