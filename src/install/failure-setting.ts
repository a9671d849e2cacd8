import { applyEdits, modify, parseTree } from "jsonc-parser";
import { readJsonc, userConfigFile } from "../config/index.ts";
import type { FailurePolicy } from "../protocol/index.ts";
import { memberAt } from "../protocol/members.ts";
import type { UserDirectories } from "../state/user-directories.ts";
import type { FileEdit } from "./file-edit.ts";

const POLICIES: readonly FailurePolicy[] = ["open", "ask", "closed"];

/** Sets what hooks do when they cannot run, in the user's configuration. */
export function failureEdit({ stateHome }: UserDirectories, policy: FailurePolicy): FileEdit {
  return {
    path: userConfigFile(stateHome),
    compute(current) {
      const text = current === undefined || current.trim() === "" ? "{}\n" : current;
      if (parseTree(text)?.type !== "object" || !readJsonc(text).ok)
        return { ok: false, problem: "expected an object in JSON with comments", line: 1, column: 1 };
      if (policyIn(text, "default") === policy) return { ok: true, text: current };
      const isIndented = /^\{\s*\n([ \t]+)/.exec(text)?.[1];
      const formattingOptions = {
        insertSpaces: isIndented?.startsWith("\t") !== true,
        tabSize: isIndented === undefined ? 2 : isIndented.length,
        eol: text.includes("\r\n") ? "\r\n" : "\n",
      };
      return {
        ok: true,
        text: applyEdits(text, modify(text, ["failure", "default"], policy, { formattingOptions })),
      };
    },
    check: written =>
      written !== undefined && policyIn(written, "default") === policy
        ? undefined
        : "the policy is not there",
  };
}

/** What the text of a configuration file says about one subcommand, or about all others. */
export function policyIn(text: string, name: string): FailurePolicy | undefined {
  const read = readJsonc(text);
  const value = read.ok ? memberAt(read.value, "failure", name) : undefined;
  return POLICIES.find(policy => policy === value);
}
