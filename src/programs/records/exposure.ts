import type { Field } from "../model/program.ts";

/** What makes something of one's own visible, or open, to everybody. */
export const exposure: Field = {
  programs: () => [],
};
