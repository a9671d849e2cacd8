import type { CustomRule } from "../config/index.ts";
import { type Budget, createBudget, describe, parseOptions, type Value } from "../shell/index.ts";
import { globMatches } from "../system/index.ts";
import { classifyPath, secretAt, type Zone } from "../workspace/index.ts";
import type { CustomRuleId, Rule } from "./rule.ts";
import { type Actor, commandLine, type RuleContext, targetsForWord, toActor } from "./rule-context.ts";

type Add = (rule: Rule, by: Actor, target: string) => void;

const MAX_STEPS = 1_000_000;
const STEPS_OF_A_RULE = 50;

/**
 * Rules of the configuration: structural, over the resolved words of one program. A project brings rules of its own,
 * so they are counted in steps: what is not compared by the time these are used up is asked about.
 */
export function inspectCustomRules(context: RuleContext, add: Add): void {
  const rules = context.workspace.settings.custom;
  if (rules.length === 0) return;
  const budget = createBudget(MAX_STEPS, context.workspace.given.isLate);
  for (const invocation of context.facts.invocations) {
    const own = rules.filter(({ when }) => when.command === invocation.program);
    if (own.length === 0) continue;
    const call = readCall(toActor(invocation), context, budget);
    for (const custom of own)
      if (fits(custom.when, call)) add(toRule(custom), call.by, commandLine(invocation));
    if (!budget.isSpent) continue;
    const what = "more rules of the configuration than there is time for";
    context.report("guard.unexamined", call.by, commandLine(invocation), { what });
    return;
  }
}

/** The words of one program, read once for all rules. */
interface ReadCall {
  readonly by: Actor;
  readonly context: RuleContext;
  readonly budget: Budget;
  readonly operands: readonly Value[];
  readonly shown: readonly string[];
  readonly given: readonly string[];
}

function readCall(by: Actor, context: RuleContext, budget: Budget): ReadCall {
  const argv = by.invocation?.argv ?? [];
  const operands = parseOptions(argv, { abbreviates: false }).operands.map(({ value }) => value);
  return { by, context, budget, operands, shown: operands.map(describe), given: argv.map(describe) };
}

const patterns = new Map<string, LinearPattern | undefined>();

function compilePattern(source: string): LinearPattern | undefined {
  if (!patterns.has(source)) patterns.set(source, compileLinear(source));
  return patterns.get(source);
}

export function toRule(custom: CustomRule): Rule {
  const { command, args = [], flags = [] } = custom.when;
  return {
    id: custom.id as CustomRuleId,
    title: custom.reason,
    verdict: custom.verdict,
    when: `A rule of the configuration: ${[command, ...args, ...flags].join(" ")}.`,
    // Most people end a reason with a full stop.
    lost: `{target}: ${custom.reason.replace(/\.$/, "")}.`,
    person: "A rule of the configuration says so.",
    model: "",
    safer: custom.safer ?? "",
  };
}

function fits({ args, flags, operand, path }: CustomRule["when"], call: ReadCall): boolean {
  const { by, context, budget, operands, shown, given } = call;
  const words = (flags?.length ?? 0) + (path === undefined ? 0 : operands.length);
  if (!budget.take(STEPS_OF_A_RULE + words * given.length)) return false;
  const hasFlag = (flag: string) => given.some(word => word === flag || word.startsWith(`${flag}=`));
  const pattern = operand === undefined ? undefined : compilePattern(operand);
  return (
    (args ?? []).every((wanted, index) => globMatches(wanted, shown[index] ?? "")) &&
    (flags ?? []).every(hasFlag) &&
    (operand === undefined || shown.some(word => pattern?.matches(word, budget) === true)) &&
    (path === undefined || operands.some(word => namesClass(context, word, by, path)))
  );
}

function namesClass(context: RuleContext, word: Value, by: Actor, name: string): boolean {
  return targetsForWord(context, word, by, true).some(target => {
    if (target.path === undefined) return false;
    if (name === "secret") return secretAt(context.workspace, target.path) !== undefined;
    return CLASSES[name]?.includes(classifyPath(context.workspace, target.path)) === true;
  });
}

const CLASSES: Readonly<Record<string, readonly Zone[]>> = {
  root: ["root", "system"],
  home: ["home"],
  project: ["project", "history", "source"],
  outside: ["outside", "local-software"],
  temp: ["temp", "temp-root"],
  regenerable: ["regenerable"],
};

/**
 * Regular expressions that always take linear time: literals, `.`, classes, groups, `|`, `*`, `+`, `?`, `^`, `$`
 * and the escapes `\d \w \s`. No back-references, look-around or counted repeats, so a pattern from a
 * configuration file cannot hold the guard up.
 */
export interface LinearPattern {
  /** False also when the steps are used up on the way: ask the budget. */
  matches(text: string, budget?: Budget): boolean;
}

type Accepts = (character: string) => boolean;
type State =
  | { readonly kind: "one"; readonly accepts: Accepts; readonly next: number }
  | { readonly kind: "fork"; readonly next: number[] }
  | { readonly kind: "start" | "end"; readonly next: number }
  | { readonly kind: "done" };
/** Adds the states of a part of the pattern in front of the state that follows it, and gives the first of them. */
type Emit = (next: number) => number;

const MAX_LENGTH = 500;
const DONE = 0;

/** Undefined when the text is not such a pattern. */
export function compileLinear(source: string): LinearPattern | undefined {
  if (source.length > MAX_LENGTH) return undefined;
  try {
    const { states, start } = new Compiler(source).compile();
    return { matches: (text, budget) => run(states, start, text, budget) };
  } catch {
    return undefined;
  }
}

class Compiler {
  private readonly states: State[] = [{ kind: "done" }];
  private readonly source: string;
  private position = 0;

  constructor(source: string) {
    this.source = source;
  }

  compile(): { readonly states: readonly State[]; readonly start: number } {
    const emit = this.alternatives();
    if (this.position < this.source.length) throw new Error("unbalanced");
    return { start: emit(DONE), states: this.states };
  }

  private add(state: State): number {
    return this.states.push(state) - 1;
  }

  /** The next character, if it is one of these. */
  private take(characters: string): string | undefined {
    const character = this.source[this.position];
    if (character === undefined || !characters.includes(character)) return undefined;
    this.position += 1;
    return character;
  }

  private alternatives(): Emit {
    const choices = [this.sequence()];
    while (this.take("|") !== undefined) choices.push(this.sequence());
    const [only] = choices;
    if (choices.length === 1 && only !== undefined) return only;
    return next => this.add({ kind: "fork", next: choices.map(choice => choice(next)) });
  }

  private sequence(): Emit {
    const parts: Emit[] = [];
    while (this.position < this.source.length && !"|)".includes(this.source[this.position] as string))
      parts.push(this.repeated());
    return next => parts.reduceRight((following, part) => part(following), next);
  }

  private repeated(): Emit {
    const part = this.atom();
    const sign = this.take("*+?");
    if (sign === undefined) return part;
    if (sign === "?") return next => this.add({ kind: "fork", next: [part(next), next] });
    return next => {
      const again = [next];
      const fork = this.add({ kind: "fork", next: again });
      const body = part(fork);
      again.push(body);
      return sign === "*" ? fork : body;
    };
  }

  private atom(): Emit {
    const character = this.source[this.position] as string;
    this.position += 1;
    if (character === "^") return next => this.add({ kind: "start", next });
    if (character === "$") return next => this.add({ kind: "end", next });
    if (character === ".") return this.one(() => true);
    if (character === "[") return this.one(this.characterClass());
    if (character === "(") return this.group();
    if ("*+?{".includes(character)) throw new Error("nothing to repeat");
    if (character === "\\") return this.one(this.escape());
    return this.one(found => found === character);
  }

  private one(accepts: Accepts): Emit {
    return next => this.add({ kind: "one", accepts, next });
  }

  private group(): Emit {
    if (this.take("?") !== undefined && this.take(":") === undefined) throw new Error("not supported");
    const inside = this.alternatives();
    if (this.take(")") === undefined) throw new Error("unbalanced");
    return inside;
  }

  private escape(): Accepts {
    const letter = this.source[this.position];
    this.position += 1;
    if (letter === undefined) throw new Error("lone backslash");
    if (letter === "d") return character => /[0-9]/.test(character);
    if (letter === "w") return character => /[A-Za-z0-9_]/.test(character);
    if (letter === "s") return character => /\s/.test(character);
    if (/[A-Za-z0-9]/.test(letter)) throw new Error("not supported");
    return character => character === letter;
  }

  private characterClass(): Accepts {
    const end = this.source.indexOf("]", this.position + 1);
    if (end < 0) throw new Error("open class");
    const body = this.source.slice(this.position, end);
    this.position = end + 1;
    const isNegated = body.startsWith("^");
    const ranges = [...(isNegated ? body.slice(1) : body).matchAll(/(.)-(.)|./gs)];
    return character => {
      const isMember = ranges.some(([whole, low, high]) =>
        low === undefined || high === undefined ? character === whole : character >= low && character <= high,
      );
      return isMember !== isNegated;
    };
  }
}

/** All states at once, character by character; a match may begin anywhere. */
function run(states: readonly State[], start: number, text: string, budget: Budget | undefined): boolean {
  let current = new Set<number>();
  for (let index = 0; index <= text.length; index += 1) {
    if (follow(states, start, index, text.length, current)) return true;
    const character = text[index];
    const next = new Set<number>();
    if (budget?.take(current.size) === false) return false;
    for (const id of current) {
      const state = states[id];
      if (character === undefined || state?.kind !== "one" || !state.accepts(character)) continue;
      if (follow(states, state.next, index + 1, text.length, next)) return true;
    }
    current = next;
  }
  return false;
}

/** Adds a state and everything reachable without a character; true when the end is among them. */
function follow(
  states: readonly State[],
  from: number,
  index: number,
  length: number,
  into: Set<number>,
): boolean {
  const waiting = [from];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (into.has(id)) continue;
    into.add(id);
    const state = states[id];
    if (state?.kind === "done") return true;
    if (state?.kind === "fork") waiting.push(...state.next);
    else if (state?.kind === "start" && index === 0) waiting.push(state.next);
    else if (state?.kind === "end" && index === length) waiting.push(state.next);
  }
  return false;
}
