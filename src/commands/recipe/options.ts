import { option } from "../../cli/option.ts";

/** Of usage errors: recipe commands have their own meanings for 2 and 3. */
export const USAGE_EXIT_CODE = 4;

export const FORMAT = option.choice(["table", "json", "yaml"], "how to print the result", {
  short: "f",
  synonyms: { text: "table" },
  initial: "table",
});
