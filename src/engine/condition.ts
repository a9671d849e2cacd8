import { isJsonObject, type JsonObject, ownValue } from "../protocol/index.ts";
import { compileGlob, matchesGlob } from "../system/glob.ts";
import { compileShellRule } from "./shell-condition.ts";

/** What an `if` rule is tried on. */
export interface ConditionFacts {
  readonly toolNames: readonly string[];
  readonly input: unknown;
  readonly cwd: string;
  readonly projectDir: string;
  readonly home: string | undefined;
}

/** Decides whether a handler is worth starting. It only saves work, so every doubt is a yes. */
export type Condition = (facts: ConditionFacts) => boolean;

const PATH_CHARS = 4096;
const RULE = /^([A-Za-z_][\w-]*|\*)(?:\(([\s\S]*)\))?$/;

/** One permission rule: `Tool`, `Bash(git push *)`, `Edit(src/**)`, `WebFetch(domain:example.org)`. */
export function compileCondition(
  rule: string,
): { readonly ok: true; readonly condition: Condition } | { readonly ok: false; readonly problem: string } {
  const parts = RULE.exec(rule.trim());
  if (parts === null || /\)\s+\w+\(/.test(rule))
    return {
      ok: false,
      problem: `"if" must be one rule such as "Bash(git push *)" or "Edit(src/**)"`,
    };
  const [, tool = "", specifier] = parts;
  const applies =
    specifier === undefined || specifier === "" || specifier === "*"
      ? undefined
      : compileSpecifier(specifier);
  return {
    ok: true,
    condition: facts =>
      (tool === "*" || facts.toolNames.includes(tool)) && (applies === undefined || applies(facts)),
  };
}

function compileSpecifier(specifier: string): Condition {
  const domain = /^domain:(.+)$/.exec(specifier)?.[1];
  const mayRun = compileShellRule(specifier);
  const matchesPath = compilePathRule(specifier);
  return facts => {
    const input = isJsonObject(facts.input) ? facts.input : undefined;
    if (input === undefined) return true;
    const url = textOf(input, "url");
    if (domain !== undefined) return url === undefined || mayBeOnDomain(url, domain);
    const command = textOf(input, "command");
    if (command !== undefined) return mayRun(command);
    const path = textOf(input, "file_path") ?? textOf(input, "notebook_path") ?? textOf(input, "path");
    return path === undefined || matchesPath(path, facts);
  };
}

function textOf(input: JsonObject, name: string): string | undefined {
  const value = ownValue(input, name);
  return typeof value === "string" ? value : undefined;
}

function mayBeOnDomain(url: string, domain: string): boolean {
  if (!URL.canParse(url)) return true;
  const host = new URL(url).hostname;
  return domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain;
}

/** `//x` is absolute, `~/x` below the home, `/x` below the project, anything else below the working directory. */
function compilePathRule(rule: string): (path: string, facts: ConditionFacts) => boolean {
  const [base, glob] = splitPathRule(rule);
  const compiled = compileGlob(glob, "path");
  return (path, facts) => {
    const root = base === "/" ? "/" : facts[base];
    if (root === undefined || path.length > PATH_CHARS) return true;
    const relative = relativeTo(root, path.startsWith("/") ? path : `${facts.cwd}/${path}`);
    return relative !== undefined && matchesGlob(compiled, relative);
  };
}

function splitPathRule(rule: string): ["/" | "home" | "projectDir" | "cwd", string] {
  if (rule.startsWith("//")) return ["/", rule.slice(2)];
  if (rule.startsWith("~/")) return ["home", rule.slice(2)];
  if (rule.startsWith("/")) return ["projectDir", rule.slice(1)];
  return ["cwd", rule.replace(/^\.\//, "")];
}

/** The path below `root` without `.` and `..`; undefined when it lies elsewhere. */
function relativeTo(root: string, path: string): string | undefined {
  const from = segments(root);
  const to = segments(path);
  return from.every((segment, index) => to[index] === segment) ? to.slice(from.length).join("/") : undefined;
}

function segments(path: string): string[] {
  const kept: string[] = [];
  for (const segment of path.split("/")) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept;
}
