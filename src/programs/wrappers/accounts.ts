import { type OptionGrammar, type ParsedOptions, parseOptions } from "../../shell/options.ts";
import { text, type Value } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { runInNewShell } from "../../shell/walk/code-runs.ts";
import { runInner } from "../../shell/walk/inner.ts";
import type { Output } from "../../shell/walk/output.ts";

const SU: OptionGrammar = {
  flags: "-lmpfP login fast preserve-environment pty",
  values: "-sgGw c|command|session-command u|user shell group supp-group whitelist-environment",
};

/** `su [-] [user] -c TEXT`; without -c a shell that reads stdin, or gets the words behind the user. */
const su: Model = call => {
  const parsed = parseOptions(call.argv, SU);
  return runAs(parsed, call);
};

const runuser: Model = call => {
  const parsed = parseOptions(call.argv, SU);
  if (!parsed.has("u")) return runAs(parsed, call);
  const strict = parseOptions(call.argv, { ...SU, stopsAtOperand: true });
  return runInner(
    strict.operands.map(operand => operand.value),
    call,
    { isElevated: true },
  );
};

function runAs(parsed: ParsedOptions, call: ProgramCall): Output {
  const elevated: ProgramCall = { ...call, isElevated: true };
  const code = parsed.valueOf("c");
  if (code !== undefined)
    return runInNewShell(code, elevated, { from: "argument", road: "shell" }, { stdin: call.stdin });
  const words = parsed.operands.map(operand => operand.value).filter(value => !isDash(value));
  return runInner([text("sh"), ...words.slice(1)], call, { isElevated: true });
}

function isDash(value: Value): boolean {
  const [only] = value.pieces;
  return only?.kind === "text" && only.text === "-";
}

/** `sg group -c TEXT`, `sg group TEXT`. */
const sg: Model = call => {
  const parsed = parseOptions(call.argv, { flags: "-l", values: "-c" });
  const code = parsed.valueOf("c") ?? parsed.operands[1]?.value;
  if (code === undefined) return runInner([text("sh")], call);
  return runInNewShell(code, call, { from: "argument", road: "shell" }, { stdin: call.stdin });
};

export const accountModels: readonly (readonly [string, Model])[] = [
  ["su", su],
  ["runuser", runuser],
  ["sg", sg],
];
