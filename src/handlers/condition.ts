import { isJsonObject, stringAt } from "../protocol/index.ts";
import {
  type Command,
  forEachNode,
  parseShell,
  type SyntaxNode,
  type Word,
  type WordPart,
} from "../shell/index.ts";
import {
  basename,
  compileGlob,
  components,
  type Glob,
  isInside,
  matchesGlob,
  resolve,
} from "../system/index.ts";

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

const MAX_PATH_CHARS = 4096;
const RULE = /^([A-Za-z_][\w-]*|\*)(?:\(([\s\S]*)\))?$/;

/** One permission rule: `Tool`, `Bash(git push *)`, `Edit(src/**)`, `WebFetch(domain:example.org)`. */
export function compileCondition(
  rule: string,
): { readonly ok: true; readonly condition: Condition } | { readonly ok: false; readonly problem: string } {
  const parts = RULE.exec(rule.trim());
  if (parts === null || /\)\s+\w+\(/.test(rule))
    return { ok: false, problem: `"if" must be one rule such as "Bash(git push *)" or "Edit(src/**)"` };
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
    const url = stringAt(input, "url");
    if (domain !== undefined) return url === undefined || mayBeOnDomain(url, domain);
    const command = stringAt(input, "command");
    if (command !== undefined) return mayRun(command);
    const path = stringAt(input, "file_path", "notebook_path", "path");
    return path === undefined || matchesPath(path, facts);
  };
}

function mayBeOnDomain(url: string, domain: string): boolean {
  const host = /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/:?#\\]+)/i
    .exec(url.trim())?.[1]
    ?.toLowerCase();
  if (host === undefined) return true;
  return domain.startsWith("*.") ? host.endsWith(domain.slice(1)) : host === domain;
}

/** `//x` is absolute, `~/x` below the home, `/x` below the project, anything else below the working directory. */
function compilePathRule(rule: string): (path: string, facts: ConditionFacts) => boolean {
  const [base, glob] = splitPathRule(rule);
  const compiled = compileGlob(glob, "path");
  return (path, facts) => {
    const root = base === "/" ? "/" : facts[base];
    if (root === undefined || path.length > MAX_PATH_CHARS) return true;
    const full = resolve(facts.cwd, path);
    if (!isInside(root, full)) return false;
    return matchesGlob(compiled, components(full).slice(components(root).length).join("/"));
  };
}

function splitPathRule(rule: string): ["/" | "home" | "projectDir" | "cwd", string] {
  if (rule.startsWith("//")) return ["/", rule.slice(2)];
  if (rule.startsWith("~/")) return ["home", rule.slice(2)];
  if (rule.startsWith("/")) return ["projectDir", rule.slice(1)];
  return ["cwd", rule.replace(/^\.\//, "")];
}

/** Programs that run what their arguments say: which command that is, their own name does not tell. */
const RUNS_ANOTHER = new Set(
  "bash builtin command dash doas env eval exec find ksh nice nohup parallel sh source ssh sudo time timeout watch xargs zsh .".split(
    " ",
  ),
);
const MAX_COMMAND_CHARS = 64 * 1024;

interface CommandRule {
  /** what stands before the first star */
  readonly literal: string;
  readonly globs: readonly Glob[];
}

/**
 * Compiles the text in `Bash(…)`: `git push` is exact, `npm run:*` a prefix, and a star stands for anything.
 * The result tells whether any command in a shell text may be the one the rule names: every one that would run
 * is looked at, also inside `$()`, backticks and compound commands, without leading assignments. What cannot be
 * read might be.
 */
function compileShellRule(text: string): (command: string) => boolean {
  const glob = text.replace(/:\*$/, " *");
  const star = glob.indexOf("*");
  const rule: CommandRule = {
    literal: (star < 0 ? glob : glob.slice(0, star)).trimEnd(),
    globs: (glob.endsWith(" *") ? [glob, glob.slice(0, -2)] : [glob]).map(one => compileGlob(one, "star")),
  };
  return command => mayRun(command, rule);
}

function mayRun(text: string, rule: CommandRule): boolean {
  if (text.length > MAX_COMMAND_CHARS) return true;
  const { statements, problems, placeholders } = parseShell(text);
  const isDoubtful = problems.length > 0 || placeholders.size > 0;
  return isDoubtful || statements.some(statement => mayContain(statement, rule));
}

function mayContain(node: SyntaxNode, rule: CommandRule): boolean {
  if ("errors" in node && node.errors !== undefined && node.errors.length > 0) return true;
  if (node.type === "Command" && mayBe(node, rule)) return true;
  let isPossible = false;
  forEachNode(node, child => {
    isPossible ||= mayContain(child, rule);
  });
  return isPossible;
}

function mayBe(command: Command, rule: CommandRule): boolean {
  if (command.name === undefined) return false;
  const words: Word[] = [command.name];
  for (const argument of command.suffix) if (argument.type === "Word") words.push(argument);
  const firstDynamic = words.findIndex(isDynamic);
  if (firstDynamic >= 0) {
    const known = words.slice(0, firstDynamic).map(word => word.value);
    const prefix = known.join(" ") + (known.length > 0 ? " " : "");
    if (rule.literal.startsWith(prefix) || prefix.startsWith(rule.literal)) return true;
  }
  if (RUNS_ANOTHER.has(basename(command.name.value))) return true;
  const values = words.map(word => word.value).join(" ");
  const asWritten = words.map(word => word.text).join(" ");
  return rule.globs.some(glob => matchesGlob(glob, values) || matchesGlob(glob, asWritten));
}

/** Its value is known only when the shell runs: an expansion, a substitution or a glob. */
function isDynamic(word: Word): boolean {
  return word.parts?.some(isDynamicPart) ?? false;
}

function isDynamicPart(part: WordPart): boolean {
  if (part.type === "DoubleQuoted" || part.type === "LocaleString") return part.parts.some(isDynamicPart);
  return part.type !== "Literal" && part.type !== "SingleQuoted" && part.type !== "AnsiCQuoted";
}
