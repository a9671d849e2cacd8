import { join } from "../system/paths.ts";
import { type GuardContext, survey, type Workspace } from "./context.ts";
import { lookUp } from "./look-up.ts";
import { secretAt } from "./paths/zones.ts";
import { wordSet } from "./words.ts";

/** Only characters that mean themselves in every shell: one simple command, nothing expanded. */
const PLAIN = /^[A-Za-z0-9 _./:=@,+%-]{1,400}$/;

const READ_ONLY = wordSet(`
  ls cat pwd whoami date uname hostname id which head tail wc file stat du df tree echo true false uptime nproc arch groups
  tsc eslint jest vitest pytest mypy ruff flake8 prettier biome
`);

const READ_ONLY_SUBCOMMANDS: Readonly<Record<string, ReadonlySet<string>>> = {
  git: wordSet("status log diff show rev-parse ls-files describe shortlog ls-tree"),
  npm: wordSet("test ls list outdated view"),
  cargo: wordSet("build check test clippy"),
  go: wordSet("build test vet list version"),
};

/** Options that make one of the above write or run something. */
const NOT_HARMLESS =
  /^(-o|--output|-c|--config|--fix|--write|-w|--ext-diff|--open-files-in-pager|-O|-i|--init|-p$|--plugin|--import|--rootdir|--target-dir|--set-exit-code)/;

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
  const { custom, paths } = workspace.settings;
  if (custom.length > 0 || paths.noRead.length > 0) return false;
  if (!PLAIN.test(command)) return false;
  const [program = "", ...rest] = command.split(" ").filter(word => word !== "");
  const subcommands = lookUp(READ_ONLY_SUBCOMMANDS, program);
  const isKnown = subcommands === undefined ? READ_ONLY.has(program) : subcommands.has(rest[0] ?? "");
  if (!isKnown || program.includes("=")) return false;
  return rest.every(word => !NOT_HARMLESS.test(word) && !mayNameSecret(word, workspace));
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
