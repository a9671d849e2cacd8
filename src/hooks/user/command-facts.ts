import { collectEffects, contextOf, createShellContext } from "../../guard/index.ts";
import { analyseCommand } from "../../programs/index.ts";
import type { HookInput } from "../../protocol/index.ts";
import { knownText } from "../../shell/index.ts";
import type { System } from "../../system/index.ts";
import { survey } from "../../workspace/index.ts";
import type { CommandFacts } from "./call.ts";

/** What the guard knows about a command before it judges. Large, so loaded only for hooks that ask for it. */
export function commandFacts(input: HookInput, system: System): CommandFacts {
  const { command, paths } = input.facts;
  if (command === null) return { programs: [], words: [], paths, effects: [] };
  const context = contextOf(input, system);
  const workspace = survey(context);
  const facts = analyseCommand(command, createShellContext(context, workspace));
  const programs = facts.invocations.map(({ program, argv, isElevated }) => ({
    name: program ?? "",
    args: argv.slice(1).map(word => knownText(word)),
    isElevated,
  }));
  const effects = collectEffects(facts, workspace).map(effect => ({
    kind: effect.kind,
    program: effect.by.program,
    path: "path" in effect && effect.path !== undefined ? knownText(effect.path) : undefined,
  }));
  return {
    programs,
    words: [...new Set(programs.flatMap(({ name, args }) => [name, ...args.filter(isText)]))],
    paths: [...new Set(effects.map(({ path }) => path).filter(isText))],
    effects,
  };
}

function isText(value: string | undefined): value is string {
  return value !== undefined;
}
