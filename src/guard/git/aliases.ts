import { describe } from "../../shell/index.ts";
import { quoteWord } from "../../system/index.ts";
import type { CommandEffect } from "../effects.ts";

/** Shell text that an alias of a configuration file stands for. */
export interface AliasText {
  readonly text: string;
  readonly cwd: string;
  readonly invocation: number | undefined;
}

const MAX_TEXTS = 8;

/** Git starts them at the top of the working tree, with the arguments added. */
export function aliasTexts(effects: readonly CommandEffect[]): readonly AliasText[] {
  return effects
    .flatMap(effect => {
      if (effect.kind !== "git" || effect.run.shellAlias === undefined) return [];
      const { run, by } = effect;
      const words = run.argv.slice(1).map(word => quoteWord(describe(word)));
      const cwd = run.repository?.top ?? describe(run.directory);
      return [{ text: [run.shellAlias, ...words].join(" "), cwd, invocation: by.invocation?.id }];
    })
    .filter(({ cwd }) => cwd.startsWith("/"))
    .slice(0, MAX_TEXTS);
}
