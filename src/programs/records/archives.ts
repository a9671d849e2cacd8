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
import type { Field, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";

/** Programs that put files into one and take them out again. */
export const archives: Field = {
  toldExcept: "cpio 7z",
  programs: () =>
    programs(
      `
    tar bsdtar | gnu | flags -zjJZvpPkOSw x|extract|get c|create t|list r|append u|update to-stdout remove-files help
        version overwrite absolute-names | values -TXbKNIgF f|file C|directory files-from exclude-from exclude
        transform strip-components to-command checkpoint-action use-compress-program info-script new-volume-script
        rsh-command owner group mode | optional checkpoint
    cpio | flags -odmuvaAbBcklLrsSV0n i|extract create p|pass-through t|list make-directories help version | values
        -FIOHERC D|directory file format pattern-file owner io-size
    unzip | is unpacks | flags -oqltpnjvZ help | values -dxP | exact
    zip | flags -rmqjeudyT help version | values -xibntPO tt TT unzip-command | exact
    7z 7za | is unpacks
    funzip | is unpacks
  `,
      {
        tar: {
          rewrite: withDash,
          effects: effectsOfTar,
          shellOptions: {
            names:
              "checkpoint-action to-command I use-compress-program F info-script new-volume-script rsh-command",
            prefix: /^exec=/,
          },
        },
        cpio: {
          effects({ options, operands }) {
            if (options.has("t") || !options.has("i", "p")) return [];
            const path = (options.has("p") ? operands.at(-1) : undefined) ?? options.valueOf("D");
            return [{ kind: "write", path: path ?? text("."), how: "extract", isInto: true }];
          },
        },
        unzip: {
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
        },
        zip: {
          rewrite: argv => argv.map(word => (knownText(word) === "-TT" ? text("--TT") : word)),
          effects: [
            { write: "first", how: "edit" },
            { read: "rest", isCopy: true },
            { delete: "rest", recursive: "always", when: "m", followsLinksUnless: "y" },
          ],
          shellOptions: { names: "TT unzip-command" },
        },
        "7z": { effects: effectsOfSevenZip },
      },
    ),
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
