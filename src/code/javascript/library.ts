import { literal, recordDatum, textDatum } from "../meaning/datum.ts";
import { argumentList, modelTable, standardInput } from "../meaning/models.ts";
import type { Library } from "../meaning/run.ts";
import { currentDirectory, homeDatum, wholeEnvironment } from "../meaning/run.ts";
import { CODE_METHODS, CODE_MODELS } from "./code-models.ts";
import { FILE_METHODS, FILE_MODELS } from "./file-models.ts";
import { NETWORK_MODELS } from "./network-models.ts";
import { parseJavaScript } from "./parse.ts";
import { PATH_MODELS } from "./path-models.ts";
import { PROCESS_METHODS, PROCESS_MODELS } from "./process-models.ts";
import { canonicalRoad } from "./roads.ts";
import { TEXT_METHODS, TEXT_MODELS } from "./text-models.ts";

/** What the names of Node, Bun and Deno mean. */
export const JAVASCRIPT: Library = {
  language: "javascript",
  parse: parseJavaScript,
  models: modelTable([
    ...PROCESS_MODELS,
    ...FILE_MODELS,
    ...PATH_MODELS,
    ...TEXT_MODELS,
    ...CODE_MODELS,
    ...NETWORK_MODELS,
  ]),
  methods: modelTable([...CODE_METHODS, ...PROCESS_METHODS, ...FILE_METHODS, ...TEXT_METHODS]),
  constants: new Map([
    ["process.env", () => wholeEnvironment("process.env")],
    ["process.argv", run => argumentList(run, ["node"])],
    ["Deno.args", run => argumentList(run, [])],
    ["process.execPath", () => literal("node")],
    ["process.stdin", standardInput],
    ["__dirname", run => textDatum(currentDirectory(run))],
    ["import.meta.dirname", run => textDatum(currentDirectory(run))],
    ["import.meta.dir", run => textDatum(currentDirectory(run))],
    ["path.sep", () => literal("/")],
    ["os.EOL", () => literal("\n")],
    ["os.userInfo()", run => recordDatum([["homedir", homeDatum(run)]])],
  ]),
  properties: new Map(),
  canonical: canonicalRoad,
  environments: new Set(["process.env", "Bun.env", "import.meta.env"]),
  returnsLast: false,
  hoistsFunctions: true,
};
