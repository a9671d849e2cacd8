import { literal } from "../meaning/datum.ts";
import { argumentList, modelTable, standardInput } from "../meaning/models.ts";
import type { Library } from "../meaning/run.ts";
import { wholeEnvironment } from "../meaning/run.ts";
import { FILE_METHODS, FILE_MODELS } from "./file-models.ts";
import { parsePerl } from "./parse.ts";
import { PROCESS_METHODS, PROCESS_MODELS } from "./process-models.ts";
import { TEXT_MODELS } from "./text-models.ts";

/** What the names of Perl and its usual modules mean. `::` is written as a dot, variables with `$`. */
export const PERL: Library = {
  language: "perl",
  parse: parsePerl,
  models: modelTable([...PROCESS_MODELS, ...FILE_MODELS, ...TEXT_MODELS]),
  methods: modelTable([...PROCESS_METHODS, ...FILE_METHODS]),
  constants: new Map([
    ["$ENV", () => wholeEnvironment("$ENV")],
    ["$ARGV", run => argumentList(run, [])],
    ["@_", run => argumentList(run, [])],
    ["<>", standardInput],
    ["STDIN", standardInput],
    ["$0", () => literal("-e")],
  ]),
  properties: new Map(),
  canonical,
  environments: new Set(["$ENV"]),
  returnsLast: true,
  hoistsFunctions: true,
  flattensLists: true,
};

const MODULES = [
  "CORE.GLOBAL.",
  "CORE.",
  "POSIX.",
  "File.Path.",
  "File.Copy.",
  "Cwd.",
  "MIME.Base64.",
  "LWP.Simple.",
  "IPC.Open3.",
  "IPC.Open2.",
  "main.",
];

/** Functions of usual modules are known by their bare names, imported or not. */
function canonical(written: string): string {
  const path = written.includes(".new.") ? written.replace(".new.", ".new().") : written;
  for (const prefix of MODULES) if (path.startsWith(prefix)) return path.slice(prefix.length);
  return path;
}
