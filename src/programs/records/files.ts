import { patchedPaths } from "../../hosts/index.ts";
import {
  describe,
  dropKnown,
  joinPath,
  knownPrefix,
  knownText,
  NO_OUTPUT,
  type Output,
  type ProgramEffect,
  readContents,
  text,
  type Value,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";
import { programs } from "../model/program-table.ts";
import { inputOf, save, stdinOf } from "./file-access.ts";

const ATTRIBUTE_OPTIONS = {
  flags:
    "-fvchHLP R|recursive silent quiet verbose changes preserve-root no-preserve-root dereference no-dereference help version",
  values: "reference from",
} as const;

/** Programs that write, make and change files where they are. */
export const files: Field = {
  toldExcept: "patch ssh-keygen",
  programs: () => [
    ...programs(
      `
    tee sponge | is passesOn | gnu | flags -ip a|append ignore-interrupts help version | optional output-error
    truncate | is removes dangerous | gnu | flags -co no-create help version | values -r s|size reference
    dd | is dangerous | gnu
    mkdir | is seldomFails | gnu | flags -pv parents verbose help version | values -m mode
    touch | gnu | flags -afhm c|no-create no-dereference help version | values -drt date reference time
    chmod | is dangerous | gnu
    chown chgrp | is dangerous | gnu
    chattr | is dangerous
    setfacl | is dangerous | flags -Rbkndp recursive remove-all remove-default no-mask default test help|h version
        | values -mxMXS modify remove modify-file remove-file restore set set-file
    patch | flags -RNfsb dry-run reverse forward help version | values -pidorFBzY strip input directory output | exact
    ssh-keygen | flags -ylqpieHv | values -ftbCNPmOaInVRFszE | exact
  `,
      {
        tee: {
          effects: [
            { write: "operands", how: "append", when: "a" },
            { write: "operands", unless: "a" },
          ],
          run(call) {
            const contents = inputOf(call, []);
            for (const path of call.operands) save(path, contents, call, call.options.has("a"));
            return contents;
          },
        },
        truncate: {
          effects: ({ options, operands }) =>
            knownPrefix(options.valueOf("s") ?? text("")).startsWith("+")
              ? operands.map(path => ({ kind: "alter", path }))
              : operands.map(replaced),
        },
        dd: { effects: effectsOfDd, run: runDd },
        mkdir: {
          effects: ({ operands }) => operands.map(path => ({ kind: "alter", path })),
          run(call) {
            for (const path of call.operands) markFile(path, call, { contents: [], isDirectory: true });
            return NO_OUTPUT;
          },
        },
        touch: {
          // An empty file is news only among the system's.
          effects: ({ options, operands }) =>
            operands.map(path =>
              options.has("c") ? { kind: "alter", path } : { kind: "write", path, how: "create" },
            ),
          run(call) {
            for (const path of call.operands)
              markFile(path, call, { contents: readContents(path, call.cwd, undefined, call.scope) }, true);
            return NO_OUTPUT;
          },
        },
        setfacl: { effects: accessLists },
        chmod: { options: ATTRIBUTE_OPTIONS, effects: attributes("mode") },
        chown: { options: ATTRIBUTE_OPTIONS, effects: attributes("owner") },
        chattr: { effects: specialAttributes },
        patch: { effects: effectsOfPatch },
        "ssh-keygen": {
          effects: [
            { write: "f", how: "edit", when: "p", unless: "y l F H R e i" },
            { write: "f", how: "make", unless: "p y l F H R e i" },
          ],
        },
      },
    ),
    // The patch tool of agents, started from a shell: the files are named in its text.
    { names: "apply_patch applypatch", effects: effectsOfPatchText },
  ],
};

function replaced(path: Value): ProgramEffect {
  return { kind: "write", path, how: "replace" };
}

function markFile(
  path: Value,
  { cwd, scope }: ParsedCall,
  entry: { readonly contents: Output; readonly isDirectory?: boolean },
  keepsOld = false,
): void {
  const name = knownText(joinPath(cwd, path));
  if (name !== undefined && !(keepsOld && scope.state.files.has(name))) scope.state.files.set(name, entry);
}

/** Words of dd are `key=value`. */
function operandOfDd({ argv }: ParsedCall, key: string): Value | undefined {
  const word = argv.slice(1).find(value => knownPrefix(value).startsWith(`${key}=`));
  return word === undefined ? undefined : dropKnown(word, key.length + 1);
}

function effectsOfDd(call: ParsedCall): readonly ProgramEffect[] {
  const [from, to] = [operandOfDd(call, "if"), operandOfDd(call, "of")];
  return [
    ...(to === undefined ? [] : [replaced(to)]),
    ...(from === undefined ? [] : [{ kind: "read", path: from, isCopy: true } as const]),
  ];
}

function runDd(call: ParsedCall): Output {
  const [from, to] = [operandOfDd(call, "if"), operandOfDd(call, "of")];
  const contents = inputOf(call, from === undefined ? [] : [from]);
  if (to === undefined) return contents;
  save(to, contents, call);
  return NO_OUTPUT;
}

function attributes(what: "mode" | "owner"): (call: ParsedCall) => readonly ProgramEffect[] {
  return ({ argv, operands, options }) => {
    // A mode such as `-rwx` looks like options; it is then found among the words.
    const dashed = argv
      .slice(1)
      .map(describe)
      .find(word => /^-[rwxXstugo]+(,|$)/.test(word) && !/^-[Rfvc]+$/.test(word));
    const hasSetting = dashed === undefined && !options.has("reference");
    const setting = hasSetting ? describe(operands[0] ?? text("")) : (dashed ?? "");
    const isRecursive = options.has("R");
    return operands
      .slice(hasSetting ? 1 : 0)
      .map(path => ({ kind: "attributes", path, isRecursive, what, setting }));
  };
}

function specialAttributes({ argv }: ParsedCall): readonly ProgramEffect[] {
  const words = argv.slice(1);
  const isRecursive = words.some(word => /^-[a-zA-Z]*R/.test(describe(word)));
  return words
    .filter(word => !/^[-+=]/.test(knownPrefix(word)))
    .map(path => ({ kind: "attributes", path, isRecursive, what: "mode", setting: "attributes" }));
}

/** Without a file it takes the names from the patch. */
function effectsOfPatch({ options, operands: [file] }: ParsedCall): readonly ProgramEffect[] {
  if (options.has("dry-run")) return [];
  const isReverse = options.has("R", "reverse");
  if (file !== undefined) return [{ kind: "write", path: file, how: "edit", isReverse }];
  const given = options.valueOf("i", "input");
  const path = options.valueOf("d", "directory") ?? text(".");
  const from = given === undefined ? {} : { from: given };
  return isReverse ? [{ kind: "write", path, how: "edit", isInto: true, isReverse, ...from }] : [];
}

function accessLists({ operands, options }: ParsedCall): readonly ProgramEffect[] {
  if (options.isOn("test")) return [];
  const isRecursive = options.has("R", "recursive");
  return operands.map(path => ({
    kind: "attributes",
    path,
    isRecursive,
    what: "mode",
    setting: "attributes",
  }));
}

function effectsOfPatchText(call: ParsedCall): readonly ProgramEffect[] {
  const patches = [...call.argv.slice(1), ...stdinOf(call)];
  const named = patches.flatMap(patch => patchedPaths(knownText(patch) ?? ""));
  return [...new Set(named)].map(path => replaced(text(path)));
}
