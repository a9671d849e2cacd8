import { literal, textDatum } from "../meaning/datum.ts";
import { argumentList, modelTable, standardInput } from "../meaning/models.ts";
import type { Library } from "../meaning/run.ts";
import { currentDirectory, wholeEnvironment } from "../meaning/run.ts";
import { FILE_METHODS, FILE_MODELS } from "./file-models.ts";
import { parsePhp } from "./parse.ts";
import { PROCESS_MODELS } from "./process-models.ts";
import { TEXT_MODELS } from "./text-models.ts";

/** What the functions of PHP mean. Their names know no case. */
export const PHP: Library = {
  language: "php",
  parse: parsePhp,
  models: modelTable([...PROCESS_MODELS, ...FILE_MODELS, ...TEXT_MODELS]),
  methods: modelTable(FILE_METHODS),
  constants: new Map([
    ["$_env", () => wholeEnvironment("$_env")],
    ["$_server", () => wholeEnvironment("$_env")],
    ["$argv", run => argumentList(run, ["-"])],
    ["__dir__", run => textDatum(currentDirectory(run))],
    ["directory_separator", () => literal("/")],
    ["stdin", standardInput],
  ]),
  properties: new Map(),
  canonical,
  environments: new Set(["$_env"]),
  returnsLast: false,
  hoistsFunctions: true,
  callsTexts: true,
};

function canonical(path: string): string {
  return path.replace(/^\\/, "").toLowerCase();
}
