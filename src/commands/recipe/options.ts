import { option } from "../../cli/option.ts";

export const FORMAT = option.choice(["table", "json", "yaml"], "how to print the result", {
  short: "f",
  synonyms: { text: "table" },
  initial: "table",
});
