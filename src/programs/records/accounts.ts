import {
  knownText,
  type OptionGrammar,
  type Output,
  parseOptions,
  runInNewShell,
  runInner,
  text,
} from "../../shell/index.ts";
import type { Field, ParsedCall } from "../model/program.ts";

const SU: OptionGrammar = {
  flags: "-lmpfP login fast preserve-environment pty",
  values: "-sgGw u|user c|command|session-command shell group supp-group whitelist-environment",
};

/** Programs that run a shell, or one command, under another account. */
export const accounts: Field = {
  toldExcept: "",
  programs: () => [
    { names: "su", is: ["readsNothing", "dangerous"], options: SU, run: runAs },
    {
      names: "runuser",
      is: ["readsNothing"],
      options: SU,
      run(call) {
        if (!call.options.has("u")) return runAs(call);
        const argv = parseOptions(call.argv, { ...SU, stopsAtOperand: true }).operandValues;
        return runInner(argv, call, { isElevated: true });
      },
    },
    {
      // `sg group -c TEXT`, `sg group TEXT`
      names: "sg",
      is: ["readsNothing"],
      options: { flags: "l", values: "c" },
      run(call) {
        const code = call.options.valueOf("c") ?? call.operands[1];
        if (code === undefined) return runInner([text("sh")], call);
        return runInNewShell(code, call, { from: "argument", via: "shell" }, { stdin: call.stdin });
      },
    },
  ],
};

/** `su [-] [user] -c TEXT`; without -c a shell that reads stdin, or gets the words behind the user. */
function runAs(call: ParsedCall): Output {
  const code = call.options.valueOf("c");
  if (code !== undefined) {
    const elevated = { ...call, isElevated: true };
    return runInNewShell(code, elevated, { from: "argument", via: "shell" }, { stdin: call.stdin });
  }
  const words = call.operands.filter(value => knownText(value) !== "-");
  return runInner([text("sh"), ...words.slice(1)], call, { isElevated: true });
}
