import { defineFamily } from "../cli/index.ts";
import { headCommand } from "./audit/head.ts";
import { verifyCommand } from "./audit/verify.ts";

export const command = defineFamily({
  name: "audit",
  summary: "check that the guard's log is as it was written",
  group: "Look",
  details: `
Each line of the audit log carries the hash of the one before, so that a line
that is changed, removed, put in or moved is noticed. What it says: amplihack
guard log.`,
  subcommands: [verifyCommand, headCommand],
  examples: {
    "amplihack audit verify": "checks every line and names the first break",
    "amplihack audit head": "prints what to note elsewhere, so that a shortened log is noticed too",
  },
});
