import type { ShellFacts } from "../shell/facts.ts";
import { describe } from "../shell/value.ts";
import type { CommandEffect } from "./effects.ts";
import { wordSet } from "./words.ts";

/** Shell text that only rules can find: behind a git alias of a configuration file, or given to a rare shell. */
export interface NestedText {
  readonly text: string;
  readonly cwd: string;
  readonly invocation: number | undefined;
}

const MOST = 8;
/** Shells whose own grammar nobody reads; what they share with the others is enough. */
const RARE_SHELLS = wordSet("xonsh nu elvish osh ysh yash ipython ipython3 rc es scsh tclsh");
/** Programs that run their last word on many machines. */
const MANY_HOSTS = wordSet("pssh parallel-ssh pdsh clush dsh salt mpssh");

export function nestedTexts(facts: ShellFacts, effects: readonly CommandEffect[]): readonly NestedText[] {
  return [...effects.flatMap(gitAlias), ...rareShells(facts)]
    .filter(({ cwd }) => cwd.startsWith("/"))
    .slice(0, MOST);
}

/** Git starts them at the top of the working tree, with the arguments added. */
function gitAlias(effect: CommandEffect): readonly NestedText[] {
  if (effect.kind !== "git" || effect.run.shellAlias === undefined) return [];
  const { run, by } = effect;
  const words = run.argv.slice(1).map(word => quote(describe(word)));
  const text = [run.shellAlias, ...words].join(" ");
  return [{ text, cwd: run.repository?.top ?? describe(run.directory), invocation: by.invocation?.id }];
}

function rareShells(facts: ShellFacts): readonly NestedText[] {
  return facts.invocations.flatMap(({ program, argv, cwd, id }) => {
    if (program === undefined || !(RARE_SHELLS.has(program) || MANY_HOSTS.has(program))) return [];
    const words = argv.map(describe);
    if (MANY_HOSTS.has(program)) return [{ text: words.at(-1) ?? "", cwd: describe(cwd), invocation: id }];
    const at = words.findIndex(word => /^(-[a-z]*c|--commands?)$/.test(word));
    const text = at < 0 ? undefined : words[at + 1];
    return text === undefined
      ? []
      : [{ text: text.replace(/^[!$]\s*/gm, ""), cwd: describe(cwd), invocation: id }];
  });
}

/** A word the way the shell takes it literally. */
function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@,+%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
