import type { ProjectKind } from "../commands/projects.ts";
import type { ToolCall } from "../commands/tool-calls.ts";

/**
 * A disaster that is really run: a scene, the calls of a session between their hooks, and undo. They were written before the
 * history's code was read. `CASES` may be read by those who mend; `disasters.held-out.ts` is for measuring only: whoever mends does
 * not read it. `disasters.test.ts` runs them.
 */
export interface Disaster {
  readonly name: string;
  readonly family: Family;
  /** what the scene starts from; `clean` when absent */
  readonly starts?: ProjectKind;
  /** run in the project before the session begins, in bash */
  readonly setup?: string;
  /** repositories that `setup` makes, relative to the project: of their clean files only what git knows is promised, as elsewhere */
  readonly repositories?: readonly string[];
  /** calls of another session that is still live; its work belongs to the state that must come back */
  readonly others?: readonly (string | ToolCall)[];
  /** a text is a command for the shell tool */
  readonly calls: readonly (string | ToolCall)[];
  /** the host runs it in the background and tells its end at once */
  readonly background?: true;
  /** what is lost lies outside the project */
  readonly outside?: true;
  /** all calls begin before one of them ends */
  readonly atOnce?: true;
  /**
   * `restored-or-asked`: a call is asked about and nothing happens, or undo gives back everything.
   * `…-or-conflict`: undo may also refuse, as long as it then changes nothing.
   */
  readonly expected: "restored-or-asked" | "restored-or-asked-or-conflict";
}

export type Family =
  | "background"
  | "many files"
  | "folders by name"
  | "left out of the tree"
  | "outside"
  | "containers"
  | "several sessions"
  | "replaced parents"
  | "empty folders"
  | "nested repositories"
  | "modes"
  | "links"
  | "hard links"
  | "moves"
  | "git work"
  | "filters"
  | "submodules"
  | "worktrees"
  | "archives"
  | "editors"
  | "scripts"
  | "precious"
  | "odd names"
  | "read-only"
  | "other kinds"
  | "sparse checkouts"
  | "no git";

/** Rows of one family that differ in the command alone. */
export function rows(
  family: Family,
  common: Partial<Omit<Disaster, "family" | "calls" | "name">>,
  commands: readonly (string | readonly (string | ToolCall)[])[],
): readonly Disaster[] {
  return commands.map(command => {
    const calls = typeof command === "string" ? [command] : command;
    const name = calls
      .map(call => (typeof call === "string" ? call : JSON.stringify(call.input)))
      .join(" ⏎ ");
    return { name: `${family}: ${name}`, family, expected: "restored-or-asked", ...common, calls };
  });
}

/** A command in each of the forms that leave it running. */
export function left(forms: readonly string[], commands: readonly string[]): readonly string[] {
  return commands.flatMap((command, index) =>
    [0, 1].map(turn => (forms[(index * 2 + turn) % forms.length] ?? "").replaceAll("«»", () => command)),
  );
}

export function write(path: string, content: string): ToolCall {
  return { as: "claude write", input: { file_path: `@/${path}`, content } };
}
