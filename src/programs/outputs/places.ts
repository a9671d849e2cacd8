import { printPaths } from "../../shell/builtins/wrappers.ts";
import { parseOptions } from "../../shell/options.ts";
import { baseName, directoryName, joinPath } from "../../shell/paths.ts";
import { concatenate, knownText, text, unknown, type Value } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import type { Output } from "../../shell/walk/output.ts";
import { takeNumber } from "../../shell/walk/session.ts";

/** Programs whose output is a path or a short word, as far as it can be told without running them. */

function line(value: Value): Output {
  return [concatenate([value, text("\n")])];
}

const token: Model = call =>
  line(
    unknown(
      "token",
      `$(${call.argv
        .slice(0, 2)
        .map(word => knownText(word) ?? "…")
        .join(" ")})`,
    ),
  );

const pwd: Model = call => line(call.cwd);

const dirname: Model = call => eachOperand(call, { flags: "-z" }, directoryName);

const basename: Model = call => {
  const parsed = parseOptions(call.argv, { flags: "-az", values: "-s" });
  const suffix = parsed.valueOf("s") ?? (parsed.has("a") ? undefined : parsed.operands[1]?.value);
  const ending = suffix === undefined ? "" : (knownText(suffix) ?? "");
  const operands = parsed.has("a", "s") ? parsed.operands : parsed.operands.slice(0, 1);
  return lines(
    operands.map(({ value }) => changeText(value, path => withoutSuffix(baseName(path), ending), call)),
  );
};

function withoutSuffix(name: string, suffix: string): string {
  return suffix !== "" && name !== suffix && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name;
}

const realpath: Model = call => {
  const parsed = parseOptions(call.argv, {
    flags: "-eLmPqsz",
    values: "relative-to relative-base",
    optional: "",
  });
  if (parsed.has("relative-to", "relative-base")) return [unknownOutput(call)];
  return lines(parsed.operands.map(({ value }) => joinPath(call.cwd, value)));
};

const readlink: Model = call => {
  const parsed = parseOptions(call.argv, { flags: "-femnqsvz" });
  if (!parsed.has("f", "e", "m")) return [unknownOutput(call)];
  return lines(parsed.operands.map(({ value }) => joinPath(call.cwd, value)));
};

function lines(values: readonly Value[]): Output {
  return [concatenate(values.flatMap(value => [value, text("\n")]))];
}

function eachOperand(
  call: ProgramCall,
  spec: Parameters<typeof parseOptions>[1],
  change: (path: string) => string,
): Output {
  return lines(parseOptions(call.argv, spec).operands.map(({ value }) => changeText(value, change, call)));
}

function changeText(value: Value, change: (path: string) => string, call: ProgramCall): Value {
  const known = knownText(value);
  return known === undefined ? { ...unknownOutput(call, [value]) } : text(change(known), value.origins);
}

const which: Model = call => printPaths(parseOptions(call.argv, { flags: "-asvpVPtf" }));

const mktemp: Model = call => {
  const { session } = call.scope;
  const parsed = parseOptions(call.argv, {
    flags: "-duqt directory dry-run",
    values: "-p suffix",
    optional: "tmpdir=p",
  });
  const number = String(takeNumber(session));
  const template = parsed.operands[0]?.value;
  const name = template === undefined ? text(`tmp.fresh${number}`) : fillTemplate(template, number);
  const isInTemp = template === undefined || parsed.has("p", "t");
  const folder = parsed.valueOf("p") ?? text(session.tmpdir);
  const path = joinPath(call.cwd, isInTemp ? concatenate([folder, text("/"), name]) : name);
  const known = knownText(path);
  if (known !== undefined)
    call.scope.state.files.set(known, { contents: [text("")], isDirectory: parsed.has("d", "directory") });
  return line(path);
};

function fillTemplate(template: Value, number: string): Value {
  const pieces = template.pieces.map(piece =>
    piece.kind === "text" ? { ...piece, text: piece.text.replace(/X{3,}/, `fresh${number}`) } : piece,
  );
  return { pieces, origins: template.origins };
}

const date: Model = call => {
  const format = call.argv.map(word => knownText(word) ?? "/").find(word => word.startsWith("+"));
  const hasSlash =
    format === undefined
      ? false
      : /\/|%[DxF]?\//.test(format) || format.includes("%D") || format.includes("%x");
  return line(unknown(hasSlash ? "nonempty" : "token", "$(date)"));
};

const whoami: Model = call =>
  line(
    call.scope.session.context.user === undefined
      ? unknown("token", "$(whoami)")
      : text(call.scope.session.context.user),
  );

const seq: Model = call => {
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
};

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
  const { projectRoot } = context;
  const isInside =
    projectRoot !== undefined && (start === projectRoot || start?.startsWith(`${projectRoot}/`) === true);
  return isInside ? text(projectRoot) : unknown("nonempty", "the repository root");
}

export const placeModels: readonly (readonly [string, Model])[] = [
  ["pwd", pwd],
  ["dirname", dirname],
  ["basename", basename],
  ["realpath", realpath],
  ["grealpath", realpath],
  ["readlink", readlink],
  ["greadlink", readlink],
  ["which", which],
  ["type", which],
  ["whence", which],
  ["mktemp", mktemp],
  ["date", date],
  ["gdate", date],
  ["whoami", whoami],
  ["logname", whoami],
  ["seq", seq],
  ...["hostname", "uname", "nproc", "uuidgen", "wc", "id", "getconf", "expr", "cksum"].map(
    name => [name, token] as const,
  ),
];
