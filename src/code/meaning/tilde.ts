import { concatenate, dropKnown, knownPrefix } from "../../shell/value.ts";
import type { Datum } from "./datum.ts";
import { choiceOf, firstValue, optionsOf, textDatum } from "./datum.ts";
import type { Run } from "./run.ts";
import { homeDatum } from "./run.ts";

/** `~` and `~/x` at the start of a path stand for the home directory. */
export function expandTilde(run: Run, path: Datum): Datum {
  return choiceOf(
    optionsOf(path).map(option => {
      const value = firstValue(option);
      const prefix = knownPrefix(value);
      if (prefix !== "~" && !prefix.startsWith("~/")) return option;
      const type = option.kind === "text" ? option.type : "text";
      return textDatum(concatenate([firstValue(homeDatum(run)), dropKnown(value, 1)]), type);
    }),
  );
}
