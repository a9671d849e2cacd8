import type { Model } from "../shell/walk/call.ts";
import { isCriticalWord } from "./critical-words.ts";
import { editorModels } from "./interpreters/editors.ts";
import { otherLanguageModels } from "./interpreters/other-languages.ts";
import { interpreterModel } from "./interpreters/run-code.ts";
import { shellModels } from "./interpreters/shells.ts";
import { windowsModels } from "./interpreters/windows.ts";
import { decoderModels } from "./outputs/decoders.ts";
import { fileModels } from "./outputs/files.ts";
import { filterModels } from "./outputs/filters.ts";
import { networkModels } from "./outputs/network.ts";
import { placeModels } from "./outputs/places.ts";
import { printModels } from "./outputs/print.ts";
import { accountModels } from "./wrappers/accounts.ts";
import { containerModels } from "./wrappers/containers.ts";
import { environmentModels } from "./wrappers/environment.ts";
import { findModels } from "./wrappers/find.ts";
import { gitModels } from "./wrappers/git.ts";
import { isolationModels } from "./wrappers/isolation.ts";
import { makeModels } from "./wrappers/make.ts";
import { packageModels } from "./wrappers/packages.ts";
import { parallelModels } from "./wrappers/parallel.ts";
import { loaderModel, prefixModels } from "./wrappers/prefix.ts";
import { remoteModels } from "./wrappers/remote.ts";
import { stringModels } from "./wrappers/strings.ts";
import { terminalModels } from "./wrappers/terminals.ts";
import { xargsModels } from "./wrappers/xargs.ts";

type Models = ReadonlyMap<string, Model>;

let everyday: Models | undefined;
let others: Models | undefined;

/** The programs of most commands, looked at first: the other tables take long to make, and no name is in both. */
export function everydayModels(): Models {
  everyday ??= new Map([...printModels, ...placeModels, ...fileModels, ...filterModels]);
  return everyday;
}

export function otherModels(): Models {
  others ??= new Map([
    ...decoderModels,
    ...networkModels,
    ...prefixModels,
    ...environmentModels,
    ...accountModels,
    ...stringModels,
    ...xargsModels,
    ...parallelModels,
    ...findModels,
    ...gitModels,
    ...makeModels,
    ...terminalModels,
    ...remoteModels,
    ...containerModels,
    ...isolationModels,
    ...packageModels(interpreterModel),
    ...editorModels,
    ...windowsModels,
    ...otherLanguageModels,
    ...shellModels,
  ]);
  return others;
}

/** Programs of most commands that are in no table: nothing is made to find that out. */
export const WITHOUT_MODEL: ReadonlySet<string> = new Set([
  "ls",
  "grep",
  "rm",
  "rmdir",
  "chmod",
  "test",
  "[",
]);

export function findModel(program: string): Model | undefined {
  const known = everydayModels().get(program);
  if (known !== undefined || WITHOUT_MODEL.has(program)) return known;
  return otherModels().get(program) ?? interpreterModel(program) ?? loaderModel(program);
}

/** A name that is worth guessing at. */
export function isProgram(name: string): boolean {
  return isCriticalWord(name) || findModel(name) !== undefined;
}

/** Names that a pattern in command position is tried against. */
export function knownPrograms(): readonly string[] {
  return [
    ...everydayModels().keys(),
    ...otherModels().keys(),
    "rm",
    "rmdir",
    "shred",
    "mkfs",
    "chmod",
    "chown",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "php",
    "awk",
    "sed",
    "kill",
    "reboot",
    "shutdown",
    "truncate",
    "unlink",
  ];
}
