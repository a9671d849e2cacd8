import { describe, knownPrefix, knownText, text, type Value } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";
import { isOnlyHelp, type Model, type ModelTable, readOptions } from "./call.ts";

/** `tar xzf`, `tar -xzf`, `tar --extract`: the first word may be letters without a dash. */
const tar: Model = call => {
  const [name, first, ...others] = call.argv;
  if (name === undefined || first === undefined) return [];
  const letters = knownText(first);
  const isOldStyle = letters !== undefined && /^[A-Za-z]+$/.test(letters) && /[xctru]/.test(letters);
  const argv = isOldStyle ? [name, text(`-${orderValues(letters)}`), ...others] : call.argv;
  const options = readOptions(
    { ...call, argv },
    {
      values:
        "-TXbKNIg f|file C|directory files-from exclude-from exclude transform strip-components to-command checkpoint-action use-compress-program owner group mode",
      flags:
        "-zjJvpPk x|extract|get c|create t|list r|append u|update remove-files help version overwrite absolute-names",
    },
  );
  if (isOnlyHelp(options) || options.has("t")) return [];
  const archive = options.valueOf("f");
  const directory = options.valueOf("C");
  const effects: CommandEffect[] = [];
  if (options.has("x")) {
    effects.push({ kind: "write", by: call.by, path: directory ?? text("."), how: "extract", isInto: true });
  } else if (options.has("c", "r", "u")) {
    const within = directory === undefined ? call.by : { ...call.by, cwd: call.by.cwd };
    for (const { value } of options.operands) {
      const path = directory === undefined ? value : joined(directory, value);
      effects.push({ kind: "read", by: within, path, isCopy: true });
      if (options.has("remove-files")) effects.push({ kind: "delete", by: call.by, path, isRecursive: true });
    }
    if (archive !== undefined && knownText(archive) !== "-")
      effects.push({ kind: "write", by: call.by, path: archive, how: "replace" });
  }
  return effects;
};

/** In the old style the values follow in the order of the letters, so letters with a value go last. */
function orderValues(letters: string): string {
  const withValue = [...letters].filter(letter => "fCTXbKIg".includes(letter));
  return [...letters].filter(letter => !withValue.includes(letter)).join("") + withValue.join("");
}

function joined(directory: Value, value: Value): Value {
  if (knownPrefix(value).startsWith("/")) return value;
  return {
    pieces: [...directory.pieces, { kind: "text", text: "/" }, ...value.pieces],
    origins: value.origins,
  };
}

const unzip: Model = call => {
  const options = readOptions(call, {
    values: "-dxP",
    flags: "-oqltpnjvZ",
    abbreviates: false,
  });
  if (options.has("l", "t", "p", "v", "Z", "help")) return [];
  return [
    { kind: "write", by: call.by, path: options.valueOf("d") ?? text("."), how: "extract", isInto: true },
  ];
};

const zip: Model = call => {
  const options = readOptions(call, {
    values: "-xibntPO tt TT",
    flags: "-rmqjeudyT",
    abbreviates: false,
  });
  const [archive, ...files] = options.operands.map(operand => operand.value);
  if (archive === undefined || isOnlyHelp(options)) return [];
  const effects: CommandEffect[] = [{ kind: "write", by: call.by, path: archive, how: "edit" }];
  for (const path of files) {
    effects.push({ kind: "read", by: call.by, path, isCopy: true });
    if (options.has("m")) effects.push({ kind: "delete", by: call.by, path, isRecursive: true });
  }
  return effects;
};

const sevenZip: Model = call => {
  const [, command, ...others] = call.argv;
  const letter = command === undefined ? undefined : knownText(command);
  const output = others.map(describe).find(word => word.startsWith("-o"));
  if (letter === "x" || letter === "e") {
    return [
      { kind: "write", by: call.by, path: text(output?.slice(2) ?? "."), how: "extract", isInto: true },
    ];
  }
  if (letter !== "a" && letter !== "u") return [];
  const files = others.filter(word => !knownPrefix(word).startsWith("-")).slice(1);
  const isMoved = others.some(word => describe(word) === "-sdel");
  return files.flatMap((path): CommandEffect[] => [
    { kind: "read", by: call.by, path, isCopy: true },
    ...(isMoved ? [{ kind: "delete" as const, by: call.by, path, isRecursive: true }] : []),
  ]);
};

const cpio: Model = call => {
  const options = readOptions(call, {
    values: "-FIOHERC D|directory file format pattern-file owner io-size",
    flags: "-odmuvaAbBcklLrsSV0n i|extract create p|pass-through t|list make-directories",
  });
  if (isOnlyHelp(options) || options.has("t") || !options.has("i", "p")) return [];
  const path = (options.has("p") ? options.operands.at(-1)?.value : undefined) ?? options.valueOf("D");
  return [{ kind: "write", by: call.by, path: path ?? text("."), how: "extract", isInto: true }];
};

export const archives: ModelTable = {
  cpio,
  tar,
  gtar: tar,
  bsdtar: tar,
  unzip,
  zip,
  "7z": sevenZip,
  "7za": sevenZip,
};
