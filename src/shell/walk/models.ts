import { codeBuiltins } from "../builtins/code.ts";
import { declarationBuiltins } from "../builtins/declarations.ts";
import { directoryBuiltins } from "../builtins/directories.ts";
import { inputBuiltins } from "../builtins/input.ts";
import { isCriticalWord } from "../critical-words.ts";
import { editorModels } from "../interpreters/editors.ts";
import { otherLanguageModels } from "../interpreters/other-languages.ts";
import { interpreterModel } from "../interpreters/run-code.ts";
import { shellModels } from "../interpreters/shells.ts";
import { windowsModels } from "../interpreters/windows.ts";
import { decoderModels } from "../outputs/decoders.ts";
import { fileModels } from "../outputs/files.ts";
import { filterModels } from "../outputs/filters.ts";
import { networkModels } from "../outputs/network.ts";
import { placeModels } from "../outputs/places.ts";
import { printModels } from "../outputs/print.ts";
import { accountModels } from "../wrappers/accounts.ts";
import { builtinWrappers } from "../wrappers/builtin-wrappers.ts";
import { containerModels } from "../wrappers/containers.ts";
import { environmentModels } from "../wrappers/environment.ts";
import { findModels } from "../wrappers/find.ts";
import { gitModels } from "../wrappers/git.ts";
import { isolationModels } from "../wrappers/isolation.ts";
import { makeModels } from "../wrappers/make.ts";
import { packageModels } from "../wrappers/packages.ts";
import { parallelModels } from "../wrappers/parallel.ts";
import { loaderModel, prefixModels } from "../wrappers/prefix.ts";
import { remoteModels } from "../wrappers/remote.ts";
import { stringModels } from "../wrappers/strings.ts";
import { terminalModels } from "../wrappers/terminals.ts";
import { xargsModels } from "../wrappers/xargs.ts";
import type { Model } from "./call.ts";

/** Tables of every name that means something to the analysis. Made when first needed. */
interface Models {
  /** Commands of the shell itself; they exist only inside one. */
  readonly builtins: ReadonlyMap<string, Model>;
  readonly programs: ReadonlyMap<string, Model>;
}

let models: Models | undefined;

function loadModels(): Models {
  models ??= {
    builtins: new Map([
      ...codeBuiltins,
      ...declarationBuiltins,
      ...directoryBuiltins,
      ...inputBuiltins,
      ...builtinWrappers,
    ]),
    programs: new Map([
      ...printModels,
      ...placeModels,
      ...fileModels,
      ...filterModels,
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
    ]),
  };
  return models;
}

export function findBuiltin(name: string): Model | undefined {
  return loadModels().builtins.get(name);
}

export function findModel(program: string): Model | undefined {
  return loadModels().programs.get(program) ?? interpreterModel(program) ?? loaderModel(program);
}

/** A name that is worth guessing at. */
export function isProgram(name: string): boolean {
  return isCriticalWord(name) || findModel(name) !== undefined || findBuiltin(name) !== undefined;
}

/** Names that a pattern in command position is tried against. */
export function knownPrograms(): readonly string[] {
  return [
    ...loadModels().programs.keys(),
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
