import type { LanguageDefinition } from "../../meaning/context.ts";
import { currentDirectory, homeDatum, wholeEnvironment } from "../../meaning/context.ts";
import { literal, recordDatum, textDatum } from "../../meaning/datum.ts";
import { argumentList, functionTable, standardInput } from "../../meaning/models.ts";
import { CODE_METHODS, CODE_MODELS } from "./code-models.ts";
import { FILE_METHODS, FILE_MODELS } from "./file-models.ts";
import { NETWORK_MODELS } from "./network-models.ts";
import { parseJavaScript } from "./parse.ts";
import { PATH_MODELS } from "./path-models.ts";
import { PROCESS_METHODS, PROCESS_MODELS } from "./process-models.ts";
import { canonicalName } from "./roads.ts";
import { TEXT_METHODS, TEXT_MODELS } from "./text-models.ts";

/** What the names of Node, Bun and Deno mean. */
export const JAVASCRIPT: LanguageDefinition = {
  id: "javascript",
  parse: parseJavaScript,
  functions: functionTable([
    ...PROCESS_MODELS,
    ...FILE_MODELS,
    ...PATH_MODELS,
    ...TEXT_MODELS,
    ...CODE_MODELS,
    ...NETWORK_MODELS,
  ]),
  methods: functionTable([...CODE_METHODS, ...PROCESS_METHODS, ...FILE_METHODS, ...TEXT_METHODS]),
  constants: new Map([
    ["process.env", () => wholeEnvironment("process.env")],
    ["process.argv", context => argumentList(context, ["node"])],
    ["Deno.args", context => argumentList(context, [])],
    ["process.execPath", () => literal("node")],
    ["process.stdin", standardInput],
    ["__dirname", context => textDatum(currentDirectory(context))],
    ["import.meta.dirname", context => textDatum(currentDirectory(context))],
    ["import.meta.dir", context => textDatum(currentDirectory(context))],
    ["path.sep", () => literal("/")],
    ["os.EOL", () => literal("\n")],
    ["os.userInfo()", context => recordDatum([["homedir", homeDatum(context)]])],
  ]),
  properties: new Map(),
  canonical: canonicalName,
  environments: new Set(["process.env", "Bun.env", "import.meta.env"]),
  returnsLast: false,
  hoistsFunctions: true,
};
