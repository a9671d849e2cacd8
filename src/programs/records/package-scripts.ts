import { isJsonObject, type JsonObject, ownValue, readJson } from "../../protocol/index.ts";
import {
  joinPath,
  joinValues,
  knownText,
  type ProgramCall,
  text,
  type Value,
  writtenEntry,
} from "../../shell/index.ts";
import { runString } from "../model/run.ts";
import { writtenText } from "./make.ts";

const MAX_MANIFEST_BYTES = 256 * 1024;
const RUN = ["run", "run-script", "rum", "urn"];
const INSTALL = ["install", "i", "ci", "add"];
/** Subcommands that are scripts without `run`. */
const LIFECYCLE: Readonly<Record<string, string>> = {
  test: "test",
  t: "test",
  tst: "test",
  start: "start",
  stop: "stop",
  restart: "restart",
};

/** Scripts of a `package.json`, as the package manager would start them. */
export function runScripts(program: string, operands: readonly Value[], call: ProgramCall): void {
  const { names, rest } = chosenScripts(program, operands);
  if (names.length === 0) return;
  const written = writtenText(text("package.json"), call);
  for (const content of written.length > 0 ? written : listedScripts(program, operands, call)) {
    const scripts = scriptsIn(knownText(content));
    for (const name of names) {
      const script = ownValue(scripts, name);
      if (typeof script === "string")
        runString(joinValues([text(script, content.origins), ...rest], " "), call);
    }
  }
}

/** The manifest of the project, for a script that is started by its name: what it says is what runs. */
function listedScripts(
  program: string,
  operands: readonly Value[],
  { scope, place, cwd }: ProgramCall,
): readonly Value[] {
  const path = knownText(joinPath(cwd, text("package.json")));
  const first = knownText(operands[0] ?? text("")) ?? "";
  const isNamed = RUN.includes(first) || (program !== "npm" && !INSTALL.includes(first));
  if (path === undefined || place.kind !== "local" || !isNamed || Object.hasOwn(LIFECYCLE, first)) return [];
  if (writtenEntry(text("package.json"), cwd, scope) !== undefined) return [];
  const content = scope.session.context.files?.readText(path, MAX_MANIFEST_BYTES);
  return content === undefined ? [] : [text(content)];
}

interface ChosenScripts {
  readonly names: readonly string[];
  /** Words that are handed on to the script. */
  readonly rest: readonly Value[];
}

function chosenScripts(program: string, operands: readonly Value[]): ChosenScripts {
  const [first = "", second = ""] = operands.slice(0, 2).map(operand => knownText(operand) ?? "");
  if (RUN.includes(first)) return { names: withHooks(second), rest: operands.slice(2) };
  if (INSTALL.includes(first)) return { names: [...withHooks("install"), ...withHooks("prepare")], rest: [] };
  const isOwnName = program !== "npm";
  const name = Object.hasOwn(LIFECYCLE, first) ? LIFECYCLE[first] : isOwnName ? first : undefined;
  return { names: name === undefined ? [] : withHooks(name), rest: operands.slice(1) };
}

function withHooks(name: string): readonly string[] {
  return [`pre${name}`, name, `post${name}`];
}

/** A manifest that is no JSON starts nothing: the package manager refuses it. */
function scriptsIn(content: string | undefined): JsonObject {
  const read = content === undefined ? undefined : readJson(content);
  const manifest = read?.ok === true ? read.value : undefined;
  const scripts = isJsonObject(manifest) ? ownValue(manifest, "scripts") : undefined;
  return isJsonObject(scripts) ? scripts : {};
}
