import { describe, type Invocation, knownText, type Redirection } from "../../shell/index.ts";
import { hasTrait } from "../model/registry.ts";

// What never ends by itself, or is larger than a disk: written to a file, it takes all the room that there is.

const ENDLESS_FILE = /^\/dev\/(?:zero|u?random|full)$/;
const NO_FILE = /^(?:\/dev\/|&|-$)/;
const HUGE_GIGABYTES = 200;
const UNITS: Readonly<Record<string, number>> = { g: 1, t: 1024, p: 1024 * 1024, e: 1024 ** 3 };

/** The file that this command would fill the disk with; undefined when it ends, or writes none. */
export function filledBy(
  invocation: Invocation,
  invocations: readonly Invocation[],
  redirections: readonly Redirection[],
): string | undefined {
  const { argv, program } = invocation;
  const isOfFile = program === "dd" || program === "fallocate" || program === "mkfile";
  if (redirections.length === 0 && !isOfFile) return undefined;
  const given = argv.slice(1).map(describe);
  if (program === "dd") {
    const source = findOperand(given, "if");
    const target = findOperand(given, "of");
    const isEndless =
      source !== undefined && ENDLESS_FILE.test(source) && findOperand(given, "count") === undefined;
    return isEndless && target !== undefined && !NO_FILE.test(target) ? target : undefined;
  }
  if (isOfFile) return given.some(isHuge) ? given.at(-1) : undefined;
  const target = findRedirections(invocation, invocations, redirections)
    .filter(one => /^(?:write|append)$/.test(one.operation))
    .map(({ target: file }) => knownText(file))
    .find(file => file !== undefined && !NO_FILE.test(file));
  if (target === undefined) return undefined;
  return isEndless(invocation, invocations, redirections) ? target : undefined;
}

function isEndless(
  invocation: Invocation,
  invocations: readonly Invocation[],
  redirections: readonly Redirection[],
): boolean {
  const { argv, program, pipeline } = invocation;
  const given = argv.slice(1).map(describe);
  if (program === "yes") return true;
  // `head -c 1T /dev/zero`
  if (program === "head") return given.some(isHuge) && given.some(word => ENDLESS_FILE.test(word));
  if (!hasTrait(program, "passesOn")) return false;
  const isFed = redirections.some(
    one =>
      one.invocation === invocation.id && one.operation === "read" && ENDLESS_FILE.test(describe(one.target)),
  );
  if (isFed || given.some(word => ENDLESS_FILE.test(word))) return true;
  const before = invocations.find(
    one =>
      pipeline !== undefined && one.pipeline?.id === pipeline.id && one.pipeline.index === pipeline.index - 1,
  );
  return before !== undefined && isEndless(before, invocations, redirections);
}

/** The redirections of a command, also where they stand behind what starts it: `sudo yes > x`. */
function findRedirections(
  { id, parent }: Invocation,
  invocations: readonly Invocation[],
  redirections: readonly Redirection[],
): readonly Redirection[] {
  const own = redirections.filter(one => one.invocation === id);
  const starter = parent?.via === "wrapper" ? invocations[parent.invocation] : undefined;
  return own.length > 0 || starter === undefined ? own : findRedirections(starter, invocations, redirections);
}

function findOperand(given: readonly string[], name: string): string | undefined {
  return given.find(word => word.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** `900G`, `-c1T`, `--length=2TiB` */
function isHuge(word: string): boolean {
  const [, amount = "", unit = ""] = /^(?:--?[a-z-]+=?)?(\d+)([gtpe])(?:i?b)?$/i.exec(word) ?? [];
  return Number(amount) * (UNITS[unit.toLowerCase()] ?? 0) >= HUGE_GIGABYTES;
}
