import { describe, type Invocation, knownText, type Redirection } from "../../shell/index.ts";
import { hasTrait } from "../model/registry.ts";

// What never ends by itself, or is larger than a disk: written to a file, it takes all the room that there is.

const ENDLESS_FILE = /^\/dev\/(?:zero|u?random|full)$/;
const NO_FILE = /^(?:\/dev\/(?!shm\/)|&|-$)/;
const HUGE_GIGABYTES = 200;

/**
 * The file that this command would fill the disk with; undefined when it writes none, or ends before so many gigabytes are
 * written.
 */
export function filledBy(
  invocation: Invocation,
  invocations: readonly Invocation[],
  redirections: readonly Redirection[],
  gigabytes = HUGE_GIGABYTES,
): string | undefined {
  const isHuge = (word: string) => readGigabytes(word) >= gigabytes;
  const { argv, program } = invocation;
  const isOfFile = program === "dd" || program === "fallocate" || program === "mkfile";
  if (redirections.length === 0 && !isOfFile) return undefined;
  const given = argv.slice(1).map(describe);
  if (program === "dd") {
    const source = findOperand(given, "if");
    const target = findOperand(given, "of");
    const [block = "512", count] = ["bs", "count"].map(name => findOperand(given, name));
    const isMuch = count === undefined || (readBytes(block) * readBytes(count)) / GIGABYTE >= gigabytes;
    const isEndless = source !== undefined && ENDLESS_FILE.test(source) && isMuch;
    return isEndless && target !== undefined && !NO_FILE.test(target) ? target : undefined;
  }
  if (isOfFile) return given.some(isHuge) ? given.at(-1) : undefined;
  const target = findRedirections(invocation, invocations, redirections)
    .filter(one => /^(?:write|append)$/.test(one.operation))
    .map(({ target: file }) => knownText(file))
    .find(file => file !== undefined && !NO_FILE.test(file));
  if (target === undefined) return undefined;
  return isEndless(invocation, invocations, redirections, isHuge) ? target : undefined;
}

function isEndless(
  invocation: Invocation,
  invocations: readonly Invocation[],
  redirections: readonly Redirection[],
  isHuge: (word: string) => boolean,
): boolean {
  const { argv, program, pipeline } = invocation;
  const given = argv.slice(1).map(describe);
  if (program === "yes") return true;
  // A line for each number.
  if (program === "seq") return given.some(word => isHuge(`${word}B`));
  // `head -c 1T /dev/zero`
  if (program === "head" && !given.some(isHuge)) return false;
  // What packs or encodes its input ends no sooner than that.
  if (!(["passesOn", "decodes", "unpacks"] as const).some(trait => hasTrait(program, trait))) return false;
  const isFed = redirections.some(
    one =>
      one.invocation === invocation.id && one.operation === "read" && ENDLESS_FILE.test(describe(one.target)),
  );
  if (isFed || given.some(word => ENDLESS_FILE.test(word))) return true;
  const before = invocations.find(
    one =>
      pipeline !== undefined && one.pipeline?.id === pipeline.id && one.pipeline.index === pipeline.index - 1,
  );
  return before !== undefined && isEndless(before, invocations, redirections, isHuge);
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

/** `900G`, `-c1T`, `--length=2TiB`, `1000000000000` */
function readGigabytes(word: string): number {
  const amount = word.replace(/^--?[a-z-]+=?(?=\d)/i, "");
  return /^\d+(?:[kmgtpe]i?)?b?$/i.test(amount) ? readBytes(amount) / GIGABYTE : 0;
}

const GIGABYTE = 1024 ** 3;

function readBytes(amount: string): number {
  const [, digits = "", unit = ""] = /^(\d+)([kmgtpe]?)/i.exec(amount) ?? [];
  return Number(digits) * 1024 ** Math.max(0, " kmgtpe".indexOf(unit.toLowerCase() || " "));
}
