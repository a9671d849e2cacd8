import { describe } from "../../shell/value.ts";
import type { CommandEffect } from "../effects.ts";

/** Shell text behind a git alias of a configuration file, and where it runs. */
export interface ShellAlias {
  readonly text: string;
  readonly cwd: string;
  readonly invocation: number | undefined;
}

const MOST = 8;

/** Git starts them at the top of the working tree, with the arguments added. */
export function nestedAliases(effects: readonly CommandEffect[]): readonly ShellAlias[] {
  return effects
    .flatMap((effect): ShellAlias[] => {
      if (effect.kind !== "git" || effect.run.shellAlias === undefined) return [];
      const { run, by } = effect;
      const cwd = run.repository?.top ?? describe(run.directory);
      if (!cwd.startsWith("/")) return [];
      const words = run.argv.slice(1).map(word => quote(describe(word)));
      return [{ text: [run.shellAlias, ...words].join(" "), cwd, invocation: by.invocation?.id }];
    })
    .slice(0, MOST);
}

/** A word the way the shell takes it literally. */
export function quote(word: string): string {
  return /^[A-Za-z0-9_./:=@,+%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
