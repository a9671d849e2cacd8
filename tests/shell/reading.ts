import { analyseCommand } from "../../src/programs/model/analyse.ts";
import type { Invocation, ShellContext, ShellFacts } from "../../src/shell/facts.ts";
import type { Value } from "../../src/shell/value.ts";

/** The person and place that all tables assume. */
export const CONTEXT: ShellContext = {
  cwd: "/home/me/project",
  home: "/home/me",
  user: "me",
  tmpdir: "/tmp",
  previousCwd: "/home/me/before",
};

export function read(command: string, context: Partial<ShellContext> = {}): ShellFacts {
  return analyseCommand(command, { ...CONTEXT, ...context });
}

/** Known text as it is, patterns in angle brackets, unknowns by their label in braces. */
export function spell(value: Value | undefined): string {
  if (value === undefined) return "nothing";
  return value.pieces
    .map(piece =>
      piece.kind === "text" ? piece.text : piece.kind === "glob" ? `<${piece.pattern}>` : `{${piece.label}}`,
    )
    .join("");
}

/** One line per invocation; words are separated by single blanks. */
export function line(invocation: Invocation): string {
  return invocation.argv.map(spell).join(" ");
}

export function lines(facts: ShellFacts): readonly string[] {
  return facts.invocations.map(line);
}

/** The lines of the invocations of one program. */
export function calls(
  command: string,
  program: string,
  context: Partial<ShellContext> = {},
): readonly string[] {
  return read(command, context)
    .invocations.filter(invocation => invocation.program === program)
    .map(line);
}

/** `directory: words` of the invocations of one program. */
export function places(
  command: string,
  program: string,
  context: Partial<ShellContext> = {},
): readonly string[] {
  return read(command, context)
    .invocations.filter(invocation => invocation.program === program)
    .map(invocation => `${spell(invocation.cwd)}: ${line(invocation)}`);
}
