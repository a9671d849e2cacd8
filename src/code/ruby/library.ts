import { textDatum } from "../meaning/datum.ts";
import { argumentList, modelTable, standardInput } from "../meaning/models.ts";
import type { Library } from "../meaning/run.ts";
import { currentDirectory, wholeEnvironment } from "../meaning/run.ts";
import { FILE_METHODS, FILE_MODELS } from "./file-models.ts";
import { parseRuby } from "./parse.ts";
import { PROCESS_METHODS, PROCESS_MODELS } from "./process-models.ts";
import { TEXT_METHODS, TEXT_MODELS } from "./text-models.ts";

/** What the names of Ruby's own library mean. `::` is written as a dot. */
export const RUBY: Library = {
  language: "ruby",
  parse: parseRuby,
  models: modelTable([...PROCESS_MODELS, ...FILE_MODELS, ...TEXT_MODELS]),
  methods: modelTable([...PROCESS_METHODS, ...FILE_METHODS, ...TEXT_METHODS]),
  constants: new Map([
    ["ENV", () => wholeEnvironment("ENV")],
    ["ARGV", run => argumentList(run, [])],
    ["ARGF", standardInput],
    ["STDIN", standardInput],
    ["$stdin", standardInput],
    ["__dir__", run => textDatum(currentDirectory(run))],
  ]),
  properties: new Map(),
  canonical,
  environments: new Set(["ENV"]),
  returnsLast: true,
};

const PREFIXES = ["Kernel.", "Object.", "self.", "FileUtils.Verbose.", "Process."];

function canonical(path: string): string {
  for (const prefix of PREFIXES) {
    if (!path.startsWith(prefix)) continue;
    const rest = path.slice(prefix.length);
    return prefix === "FileUtils.Verbose." ? `FileUtils.${rest}` : rest;
  }
  return path;
}
