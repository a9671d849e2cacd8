import { patchedPaths } from "../../hosts/facts.ts";
import { describe, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { type Call, isOnlyHelp, type Model, type ModelTable, readOptions } from "./call.ts";
import { readFiles } from "./readers.ts";

const tee: Model = call => {
  const options = readOptions(call, {
    flags: "-ip a|append help version",
    optional: "output-error",
  });
  if (isOnlyHelp(options)) return [];
  const how = options.has("a") ? "append" : "replace";
  return options.operands.map(({ value }) => ({ kind: "write", by: call.by, path: value, how }));
};

const truncate: Model = call => {
  const options = readOptions(call, {
    values: "-r s|size reference",
    flags: "-co no-create help version",
  });
  const size = options.valueOf("s");
  if (isOnlyHelp(options) || (size !== undefined && knownPrefix(size).startsWith("+"))) return [];
  return options.operands.map(({ value }) => ({ kind: "write", by: call.by, path: value, how: "replace" }));
};

/** Words are `key=value`. */
const dd: Model = call =>
  call.argv.slice(1).flatMap((word): CommandEffect[] => {
    const known = knownPrefix(word);
    const path = afterCharacters(word, 3);
    if (known.startsWith("of=")) return [{ kind: "write", by: call.by, path, how: "replace" }];
    return known.startsWith("if=") ? [{ kind: "read", by: call.by, path, isCopy: true }] : [];
  });

/** The value without its first known characters. */
export function afterCharacters(value: Value, count: number): Value {
  const [first, ...others] = value.pieces;
  if (first?.kind !== "text") return value;
  const rest = first.text.slice(count);
  return { pieces: rest === "" ? others : [{ kind: "text", text: rest }, ...others], origins: value.origins };
}

const sed: Model = call => {
  const options = readOptions(call, {
    values: "-l e|expression f|file line-length",
    flags: "-nErszu quiet silent regexp-extended separate help version posix debug",
    optional: "i|in-place",
  });
  if (isOnlyHelp(options)) return [];
  const operands = options.operands.map(operand => operand.value);
  const files = options.has("e", "f") ? operands : operands.slice(1);
  if (!options.has("i")) return files.map(path => ({ kind: "read", by: call.by, path, isCopy: false }));
  return files.map(path => ({ kind: "write", by: call.by, path, how: "edit" }));
};

/** `gawk -i inplace` writes back what it prints. */
const awk: Model = call => {
  const options = readOptions(call, {
    values: "-Fvl f|file e|source i|include field-separator assign load",

    abbreviates: false,
    stopsAtOperand: true,
  });
  const operands = options.operands.map(operand => operand.value);
  const files = options.has("f", "e") ? operands : operands.slice(1);
  const isInPlace = options.valuesOf("i").some(value => /^inplace(\.awk)?$/.test(describe(value)));
  if (!isInPlace) return readFiles(call);
  return files.map(path => ({ kind: "write", by: call.by, path, how: "edit" }));
};

/** `-i` of perl and ruby edits the files that follow the program. */
const editInPlace: Model = call => {
  const options = readOptions(call, {
    values: "-eEIr",
    optional: "-iMmF0Cl",
    flags: "-pnwasTcv",
    abbreviates: false,
  });
  const operands = options.operands.map(operand => operand.value);
  const files = options.has("e", "E") ? operands : operands.slice(1);
  if (options.has("n", "p") && !options.has("i")) {
    const shown = options.has("e", "E") ? operands : operands.slice(-1);
    return shown.map(path => ({ kind: "read", by: call.by, path, isCopy: false }));
  }
  if (!options.has("i") || options.has("c")) return [];
  return files.map(path => ({ kind: "write", by: call.by, path, how: "edit" }));
};

const attributesOf =
  (what: "mode" | "owner"): Model =>
  call => {
    const options = readOptions(call, {
      flags:
        "-fvchHLP R|recursive silent quiet verbose changes preserve-root no-preserve-root dereference no-dereference help version",
      values: "reference from",
    });
    if (isOnlyHelp(options)) return [];
    const { setting, files } = settingAndFiles(
      call,
      options.operands.map(operand => operand.value),
      options.has("reference"),
    );
    return files.map(path => ({
      kind: "attributes",
      by: call.by,
      path,
      isRecursive: options.has("R"),
      what,
      setting,
    }));
  };

/** A mode such as `-rwx` looks like options; it is then found among the words. */
function settingAndFiles(
  call: Call,
  operands: readonly Value[],
  hasReference: boolean,
): { setting: string; files: readonly Value[] } {
  if (hasReference) return { setting: "", files: operands };
  const dashed = call.argv
    .slice(1)
    .map(describe)
    .find(word => /^-[rwxXstugo]+(,|$)/.test(word) && !/^-[Rfvc]+$/.test(word));
  if (dashed !== undefined) return { setting: dashed, files: operands };
  const [setting, ...files] = operands;
  return { setting: setting === undefined ? "" : describe(setting), files };
}

const chattr: Model = call => {
  const words = call.argv.slice(1);
  const isRecursive = words.some(word => /^-[a-zA-Z]*R/.test(describe(word)));
  const files = words.filter(word => !/^[-+=]/.test(knownPrefix(word)));
  return files.map(path => ({
    kind: "attributes",
    by: call.by,
    path,
    isRecursive,
    what: "mode",
    setting: "attributes",
  }));
};

const sponge: Model = call => {
  const file = call.argv.slice(1).find(word => !knownPrefix(word).startsWith("-"));
  return file === undefined ? [] : [{ kind: "write", by: call.by, path: file, how: "replace" }];
};

/** `-o FILE` of filters that otherwise only read. */
const filterToFile: Model = call => {
  const options = readOptions(call, {
    values: "-oktTSnf output key field-separator",
    abbreviates: false,
  });
  const reads: CommandEffect[] = options.operands.map(({ value }) => ({
    kind: "read",
    by: call.by,
    path: value,
    isCopy: false,
  }));
  return [
    ...reads,
    ...options
      .valuesOf("o", "output")
      .map((path): CommandEffect => ({ kind: "write", by: call.by, path, how: "replace" })),
  ];
};

const patch: Model = call => {
  const options = readOptions(call, {
    values: "-pidorFBzY strip input directory output",
    flags: "-RNfsb dry-run reverse forward",
    abbreviates: false,
  });
  const [file] = options.operands;
  if (file === undefined || options.has("dry-run")) return [];
  return [{ kind: "write", by: call.by, path: file.value, how: "edit" }];
};

/** The patch tool of agents, started from a shell: the files are named in its text. */
const applyPatch: Model = call => {
  const patches = [
    ...call.argv.slice(1),
    ...(call.invocation.stdin === undefined ? [] : [call.invocation.stdin]),
  ];
  const named = patches.flatMap(patch => patchedPaths(knownText(patch) ?? ""));
  return [...new Set(named)].map(path => ({ kind: "write", by: call.by, path: text(path), how: "replace" }));
};

const mkdir: Model = () => [];

/** An empty file is news only among the system's. */
const touch: Model = call => {
  const options = readOptions(call, {
    values: "-drt date reference time",
    flags: "-afhm c|no-create no-dereference help version",
  });
  if (isOnlyHelp(options) || options.has("c")) return [];
  return options.operands.map(({ value }) => ({ kind: "write", by: call.by, path: value, how: "create" }));
};

/** `openssl … -out FILE`, `-keyout FILE`: new files are no loss, old ones are. */
const openssl: Model = call => {
  const effects: CommandEffect[] = [];
  const command = call.argv[1] === undefined ? undefined : knownText(call.argv[1]);
  const isPublic =
    command === "x509" ||
    command === "req" ||
    command === "verify" ||
    command === "dgst" ||
    command === "s_client";
  const isShown = call.argv.some(word => describe(word) === "-text");
  const isQuiet = call.argv.some(word => /^-(noout|pubout|check|verify)$/.test(describe(word)));
  for (const [index, word] of call.argv.entries()) {
    const next = call.argv[index + 1];
    if (next === undefined) continue;
    const option = knownText(word);
    if (option === "-out" || option === "-keyout")
      effects.push({ kind: "write", by: call.by, path: next, how: "make" });
    if (option === "-in" && !isPublic && (isShown || !isQuiet))
      effects.push({ kind: "read", by: call.by, path: next, isCopy: false });
  }
  return effects;
};

const sshKeygen: Model = call => {
  const options = readOptions(call, {
    values: "-ftbCNPmOaInVRFszE",
    flags: "-ylqpieHv",
    abbreviates: false,
  });
  const file = options.valueOf("f");
  if (file === undefined || options.has("y", "l", "F", "H", "R", "e", "i")) return [];
  return [{ kind: "write", by: call.by, path: file, how: options.has("p") ? "edit" : "make" }];
};

export const writing: ModelTable = {
  tee,
  gtee: tee,
  truncate,
  dd,
  gdd: dd,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  perl: editInPlace,
  ruby: editInPlace,
  chmod: attributesOf("mode"),
  chown: attributesOf("owner"),
  chgrp: attributesOf("owner"),
  setfacl: chattr,
  chattr,
  sponge,
  sort: filterToFile,
  shuf: filterToFile,
  iconv: filterToFile,
  patch,
  mkdir,
  touch,
  apply_patch: applyPatch,
  applypatch: applyPatch,
  openssl,
  "ssh-keygen": sshKeygen,
};
