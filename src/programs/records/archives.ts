import {
  concatenate,
  describe,
  isAbsolute,
  knownPrefix,
  knownText,
  type ProgramEffect,
  text,
  type Value,
} from "../../shell/index.ts";
import { type Field, type ParsedCall, program } from "../model/program.ts";

/** Programs that put files into one and take them out again. */
export const archives: Field = {
  tellsChanges: true,
  programs: () => [
    program("tar bsdtar", "gnu", {
      options: {
        flags:
          "-zjJZvpPkOSw x|extract|get c|create t|list r|append u|update to-stdout remove-files help version overwrite absolute-names",
        values: `-TXbKNIgF f|file C|directory files-from exclude-from exclude transform strip-components to-command
          checkpoint-action use-compress-program info-script new-volume-script rsh-command owner group mode`,
        optional: "checkpoint",
      },
      rewrite: withDash,
      effects: effectsOfTar,
      shellOptions: {
        names:
          "checkpoint-action to-command I use-compress-program F info-script new-volume-script rsh-command",
        prefix: /^exec=/,
      },
    }),
    program("cpio", "changesMore", {
      options: {
        flags: "-odmuvaAbBcklLrsSV0n i|extract create p|pass-through t|list make-directories help version",
        values: "-FIOHERC D|directory file format pattern-file owner io-size",
      },
      effects({ options, operands }) {
        if (options.has("t") || !options.has("i", "p")) return [];
        const path = (options.has("p") ? operands.at(-1) : undefined) ?? options.valueOf("D");
        return [{ kind: "write", path: path ?? text("."), how: "extract", isInto: true }];
      },
    }),
    program("unzip", "unpacks", {
      options: { flags: "-oqltpnjvZ help", values: "-dxP", abbreviates: false },
      effects: ({ options, operands: [archive] }) =>
        options.has("l", "t", "p", "v", "Z", "help")
          ? []
          : [
              {
                kind: "write",
                path: options.valueOf("d") ?? text("."),
                how: "extract",
                isInto: true,
                ...(archive === undefined ? {} : { archive }),
              },
            ],
    }),
    program("zip", "", {
      options: {
        flags: "-rmqjeudyT help version",
        values: "-xibntPO tt TT unzip-command",
        abbreviates: false,
      },
      rewrite: argv => argv.map(word => (knownText(word) === "-TT" ? text("--TT") : word)),
      effects: [
        { write: "first", how: "edit" },
        { read: "rest", isCopy: true },
        { delete: "rest", recursive: "always", when: "m", followsLinksUnless: "y" },
      ],
      shellOptions: { names: "TT unzip-command" },
    }),
    program("7z 7za", "unpacks changesMore", { effects: effectsOfSevenZip }),
    program("funzip", "unpacks"),
  ],
};

/**
 * `tar xzf`: the first word may be letters without a dash. Their values follow in the order of the letters, so letters
 * with a value go last.
 */
function withDash(argv: readonly Value[]): readonly Value[] {
  const [name, first, ...others] = argv;
  const letters = first === undefined ? undefined : knownText(first);
  const isOldStyle = letters !== undefined && /^[A-Za-z]+$/.test(letters) && /[xctru]/.test(letters);
  if (name === undefined || !isOldStyle) return argv;
  const withValue = [...letters].filter(letter => "fCTXbKIg".includes(letter));
  const flags = [...letters].filter(letter => !withValue.includes(letter));
  return [name, text(`-${[...flags, ...withValue].join("")}`), ...others];
}

function effectsOfTar({ options, operands }: ParsedCall): readonly ProgramEffect[] {
  if (options.has("t")) return [];
  const directory = options.valueOf("C");
  const archive = options.valueOf("f");
  if (options.has("x")) {
    const packed = archive === undefined || knownText(archive) === "-" ? {} : { archive };
    return [{ kind: "write", path: directory ?? text("."), how: "extract", isInto: true, ...packed }];
  }
  if (!options.has("c", "r", "u")) return [];
  const followsLinks = options.has("h", "dereference");
  const effects = operands.flatMap((value): readonly ProgramEffect[] => {
    const path =
      directory === undefined || isAbsolute(value) ? value : concatenate([directory, text("/"), value]);
    return [
      { kind: "read", path, isCopy: true },
      ...(options.has("remove-files")
        ? [{ kind: "delete", path, isRecursive: true, followsLinks } as const]
        : []),
    ];
  });
  if (archive === undefined || knownText(archive) === "-") return effects;
  return [...effects, { kind: "write", path: archive, how: "replace" }];
}

function effectsOfSevenZip({ argv }: ParsedCall): readonly ProgramEffect[] {
  const [, command, ...others] = argv;
  const letter = command === undefined ? undefined : knownText(command);
  if (letter === "x" || letter === "e") {
    const output = others.map(describe).find(word => word.startsWith("-o"));
    return [{ kind: "write", path: text(output?.slice(2) ?? "."), how: "extract", isInto: true }];
  }
  if (letter !== "a" && letter !== "u") return [];
  const isMoved = others.some(word => describe(word) === "-sdel");
  const [archive, ...files] = others.filter(word => !knownPrefix(word).startsWith("-"));
  const packed = files.flatMap((path): readonly ProgramEffect[] => [
    { kind: "read", path, isCopy: true },
    ...(isMoved ? [{ kind: "delete", path, isRecursive: true } as const] : []),
  ]);
  return archive === undefined ? packed : [...packed, { kind: "write", path: archive, how: "edit" }];
}
