import {
  baseName,
  concatenate,
  directoryName,
  environmentValueOf,
  joinPath,
  knownText,
  type Output,
  type ProgramCall,
  type ProgramEffect,
  printPaths,
  takeNumber,
  text,
  unknown,
  unknownOutput,
  type Value,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "./program.ts";
import { programs } from "./program-table.ts";

/** Programs whose output is a path or a short word, as far as it can be told without running them. */
export const paths: Field = {
  toldExcept: "open",
  programs: () =>
    programs(
      `
    pwd | is readsNothing | gnu
    dirname | is readsNothing | gnu | flags z
    basename | is readsNothing | gnu | flags -az | values s
    realpath | is readsNothing | gnu | flags -eLmPqsz | values relative-to relative-base
    readlink | is readsNothing | gnu | flags -femnqsvz
    which type whence | is readsNothing | flags -asvpVPtf
    mktemp | is readsNothing | gnu | flags -dutq directory dry-run | values -p suffix | optional tmpdir=p
    date | is readsNothing | gnu
    whoami logname | is readsNothing | gnu
    seq | is readsNothing | gnu
    hostname uname nproc uuidgen wc id getconf expr cksum | is readsNothing | gnu
    dir exa eza lsd tree stat file du df whereis locate sleep wait true false test [ umask lsattr getfacl md5sum
        sha1sum sha256sum sha512sum sum b2sum shasum cmp logger notify-send say info help | is readsNothing
    open xdg-open | is readsNothing
  `,
      {
        pwd: { run: call => line(call.cwd) },
        dirname: { run: call => lines(call.operands.map(value => changeText(value, directoryName, call))) },
        basename: { run: baseNames },
        realpath: {
          run: call =>
            call.options.has("relative-to", "relative-base") ? [unknownOutput(call)] : absolutePaths(call),
        },
        readlink: {
          run: call => (call.options.has("f", "e", "m") ? absolutePaths(call) : [unknownOutput(call)]),
        },
        which: { run: call => printPaths(call.options) },
        mktemp: { effects: madeTemporary, run: makeTemporary },
        date: { run: printDate },
        whoami: { run: printUser },
        seq: { run: countUp },
        hostname: { run: token },
      },
    ),
};

function line(value: Value): Output {
  return [concatenate([value, text("\n")])];
}

function lines(values: readonly Value[]): Output {
  return [concatenate(values.flatMap(value => [value, text("\n")]))];
}

function token({ argv }: ParsedCall): Output {
  const shown = argv.slice(0, 2).map(word => knownText(word) ?? "…");
  return line(unknown("token", `$(${shown.join(" ")})`));
}

function absolutePaths(call: ParsedCall): Output {
  return lines(call.operands.map(value => joinPath(call.cwd, value)));
}

function changeText(value: Value, change: (path: string) => string, call: ParsedCall): Value {
  const known = knownText(value);
  return known === undefined ? unknownOutput(call, [value]) : text(change(known), value.origins);
}

function baseNames(call: ParsedCall): Output {
  const { options, operands } = call;
  const suffix = options.valueOf("s") ?? (options.has("a") ? undefined : operands[1]);
  const ending = suffix === undefined ? "" : (knownText(suffix) ?? "");
  const named = options.has("a", "s") ? operands : operands.slice(0, 1);
  return lines(named.map(value => changeText(value, path => withoutSuffix(baseName(path), ending), call)));
}

function withoutSuffix(name: string, suffix: string): string {
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

function makeTemporary(call: ParsedCall): Output {
  const { options, scope } = call;
  const number = String(takeNumber(scope.session));
  const [template] = call.operands;
  const name = template === undefined ? text(`tmp.fresh${number}`) : fillTemplate(template, number);
  const isInTemp = template === undefined || options.has("p", "t");
  const folder = options.valueOf("p") ?? environmentValueOf(call, "TMPDIR") ?? text(scope.session.tmpdir);
  const path = joinPath(call.cwd, isInTemp ? concatenate([folder, text("/"), name]) : name);
  const known = knownText(path);
  if (known !== undefined)
    scope.state.files.set(known, { contents: [text("")], isDirectory: options.has("d", "directory") });
  return line(path);
}

/** A new name in a directory that is no temporary one; which, is not known before. */
function madeTemporary({ operands, options }: ParsedCall): readonly ProgramEffect[] {
  const [template] = operands;
  const directory = options.valueOf("p") ?? (template === undefined ? undefined : text(parentOf(template)));
  if (directory === undefined || options.has("t", "u")) return [];
  return [{ kind: "alter", path: concatenate([directory, text("/"), unknown("token", "XXXXXX")]) }];
}

function parentOf(template: Value): string {
  return directoryName(knownText(template) ?? ".");
}

function fillTemplate(template: Value, number: string): Value {
  const pieces = template.pieces.map(piece =>
    piece.kind === "text" ? { ...piece, text: piece.text.replace(/X{3,}/, `fresh${number}`) } : piece,
  );
  return { pieces, origins: template.origins };
}

function printDate({ argv }: ParsedCall): Output {
  const format = argv.map(word => knownText(word) ?? "/").find(word => word.startsWith("+")) ?? "";
  return line(unknown(/\/|%[Dx]/.test(format) ? "nonempty" : "token", "$(date)"));
}

function printUser({ scope }: ParsedCall): Output {
  const { user } = scope.session.context;
  return line(user === undefined ? unknown("token", "$(whoami)") : text(user));
}

function countUp(call: ParsedCall): Output {
  const words = call.argv.slice(1).map(word => knownText(word) ?? "x");
  const numbers = words.filter(word => word !== "-w").map(Number);
  const [first, second, third] = numbers;
  if (numbers.some(number => !Number.isInteger(number)) || first === undefined) return [unknownOutput(call)];
  const from = second === undefined ? 1 : first;
  const to = third ?? second ?? first;
  const step = third === undefined ? 1 : (second ?? 1);
  if (step === 0 || (to - from) / step > 256) return line(unknown("token", "$(seq)"));
  const items: string[] = [];
  for (let value = from; step > 0 ? value <= to : value >= to; value += step) items.push(String(value));
  return items.length === 0 ? [text("")] : [text(`${items.join("\n")}\n`)];
}

/** The root of the repository, found by its `.git`. */
export function repositoryRoot(call: ProgramCall): Value {
  const { context } = call.scope.session;
  const start = knownText(call.cwd);
  if (start !== undefined && context.files !== undefined) {
    for (let folder = start; ; folder = directoryName(folder)) {
      if (context.files.kind(`${folder === "/" ? "" : folder}/.git`) !== undefined) return text(folder);
      if (folder === "/" || folder === ".") break;
    }
  }
  const projectRoot = context.projectRoot?.();
  const isInside =
    projectRoot !== undefined && (start === projectRoot || start?.startsWith(`${projectRoot}/`) === true);
  return isInside ? text(projectRoot) : unknown("nonempty", "the repository root");
}
