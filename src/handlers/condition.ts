import { isJsonObject, stringAt } from "../protocol/index.ts";
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

/** Tells whether a command of a shell text may be the one that a rule names: `mayRun`, which brings a parser along. */
export type MayRun = (command: string, rule: CommandRule) => boolean;

/** One permission rule: `Tool`, `Bash(git push *)`, `Edit(src/**)`, `WebFetch(domain:example.org)`. */
export function compileCondition(
  rule: string,
  mayRun: MayRun,
): { readonly ok: true; readonly condition: Condition } | { readonly ok: false; readonly problem: string } {
  const parts = RULE.exec(rule.trim());
  if (parts === null || /\)\s+\w+\(/.test(rule))
    return { ok: false, problem: `"if" must be one rule such as "Bash(git push *)" or "Edit(src/**)"` };
  const [, tool = "", specifier] = parts;
  const applies =
    specifier === undefined || specifier === "" || specifier === "*"
      ? undefined
      : compileSpecifier(specifier, mayRun);
  return {
    ok: true,
    condition: facts =>
      (tool === "*" || facts.toolNames.includes(tool)) && (applies === undefined || applies(facts)),
  };
}

function compileSpecifier(specifier: string, mayRun: MayRun): Condition {
  const domain = /^domain:(.+)$/.exec(specifier)?.[1];
  const rule = compileShellRule(specifier);
  const matchesPath = compilePathRule(specifier);
  return facts => {
    const input = isJsonObject(facts.input) ? facts.input : undefined;
    if (input === undefined) return true;
    const url = stringAt(input, "url");
    if (domain !== undefined) return url === undefined || mayBeOnDomain(url, domain);
    const command = stringAt(input, "command");
    if (command !== undefined) {
      const words = plainWords(command);
      return words === undefined ? mayRun(command, rule) : mayBeNamed(words, rule);
    }
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

/** A rule on a command, as `Bash(…)` writes it. */
export interface CommandRule {
  /** what stands before the first star */
  readonly literal: string;
  readonly globs: readonly Glob[];
}

/** Compiles the text in `Bash(…)`: `git push` is exact, `npm run:*` a prefix, and a star stands for anything. */
function compileShellRule(text: string): CommandRule {
  const glob = text.replace(/:\*$/, " *");
  const star = glob.indexOf("*");
  return {
    literal: (star < 0 ? glob : glob.slice(0, star)).trimEnd(),
    globs: (glob.endsWith(" *") ? [glob, glob.slice(0, -2)] : [glob]).map(one => compileGlob(one, "star")),
  };
}

/** A word of a command, with what it is when the shell runs, as far as that is known. */
interface CommandWord {
  readonly value: string;
  readonly text: string;
  readonly isDynamic: boolean;
}

const PLAIN = /^[A-Za-z0-9 _./:@,+%-]{1,400}$/;
const RESERVED = /^(if|then|else|elif|fi|do|done|case|esac|while|until|for|in|function|select|coproc|time)$/;

/** One command of words that mean themselves in every shell, which is read without a parser. */
function plainWords(command: string): readonly CommandWord[] | undefined {
  const words = PLAIN.test(command) ? command.split(" ").filter(word => word !== "") : [];
  if (words.length === 0 || RESERVED.test(words[0] ?? "")) return undefined;
  return words.map(word => ({ value: word, text: word, isDynamic: false }));
}

/** Programs that run what their arguments say: which command that is, their own name does not tell. */
const RUNS_ANOTHER = new Set(
  "bash builtin command dash doas env eval exec find ksh nice nohup parallel sh source ssh sudo time timeout watch xargs zsh .".split(
    " ",
  ),
);

/** Whether a command of these words may be the one that a rule names. */
export function mayBeNamed(words: readonly CommandWord[], rule: CommandRule): boolean {
  const firstDynamic = words.findIndex(({ isDynamic }) => isDynamic);
  if (firstDynamic >= 0) {
    const known = words.slice(0, firstDynamic).map(({ value }) => value);
    const prefix = known.join(" ") + (known.length > 0 ? " " : "");
    if (rule.literal.startsWith(prefix) || prefix.startsWith(rule.literal)) return true;
  }
  if (RUNS_ANOTHER.has(basename(words[0]?.value ?? ""))) return true;
  const values = words.map(({ value }) => value).join(" ");
  const asWritten = words.map(({ text }) => text).join(" ");
  return rule.globs.some(glob => matchesGlob(glob, values) || matchesGlob(glob, asWritten));
}
