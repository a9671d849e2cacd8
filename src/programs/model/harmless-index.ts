import { words } from "../../shell/index.ts";
import { EVERYDAY, OTHERS } from "./fields.ts";

/** Programs with the first words that make them harmless. Apart: it is all that is needed of them for most commands. */
export function makeHarmlessIndex(): readonly (readonly [name: string, reads: string, runs: string])[] {
  return [...EVERYDAY, ...OTHERS]
    .flatMap(field => field.programs())
    .flatMap(({ names: all, harmless: { reads = "", runs = "", names = all } = {} }) =>
      reads === "" && runs === "" ? [] : words(names).map(name => [name, reads, runs] as const),
    );
}
