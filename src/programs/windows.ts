import { decodeBase64, decodeUtf16LittleEndian } from "../shell/decode.ts";
import { words } from "../shell/options.ts";
import { NO_OUTPUT } from "../shell/state/output.ts";
import type { Output, ProgramCall } from "../shell/state/types.ts";
import { knownText, text, unknown, type Value, withOrigins } from "../shell/value.ts";
import { unknownOutput } from "../shell/walk/code-runs.ts";
import { joinValues } from "../shell/words/fragments.ts";
import type { Field, ParsedCall } from "./program.ts";
import { runInterpreterCode } from "./run-code.ts";

/** Shells of Windows; PowerShell runs elsewhere, too. */
export const windows: Field = {
  programs: () => [
    { names: "pwsh powershell", is: ["shell", "powershell", "dangerous"], run: runPowerShell },
    { names: "cmd", is: ["shell"], run: runCmd },
    { names: "remove-item rd invoke-expression format-volume", is: ["dangerous"] },
  ],
};

/** Parameters of pwsh, in full; any unambiguous prefix is accepted, in any case. */
const VALUED = words(`
  executionpolicy inputformat outputformat windowstyle version psconsolefile
  configurationname settingsfile workingdirectory custompipename
`);

function runPowerShell(call: ParsedCall): Output {
  for (let index = 1; index < call.argv.length; index += 1) {
    const word = call.argv[index];
    const written = word === undefined ? undefined : knownText(word);
    const parameter = /^(?:--?|\/)([A-Za-z]+)$/.exec(written ?? "")?.[1]?.toLowerCase();
    const rest = call.argv.slice(index + 1);
    if (parameter === undefined)
      return word === undefined || written === "-" ? runStdin(call) : runText(call.argv.slice(index), call);
    if ("command".startsWith(parameter)) return isDash(rest) ? runStdin(call) : runText(rest, call);
    if (
      ["e", "ec"].includes(parameter) ||
      (parameter.startsWith("en") && "encodedcommand".startsWith(parameter))
    )
      return runEncoded(rest[0], call);
    if ("file".startsWith(parameter)) return isDash(rest) ? runStdin(call) : [unknownOutput(call)];
    if (VALUED.some(name => name.startsWith(parameter)) || parameter === "ep" || parameter === "wd")
      index += 1;
  }
  return runStdin(call);
}

function isDash(rest: readonly Value[]): boolean {
  return rest[0] !== undefined && knownText(rest[0]) === "-";
}

function runText(argv: readonly Value[], call: ProgramCall): Output {
  return runInterpreterCode("powershell", joinValues(argv, " "), [], call, { from: "argument" });
}

function runStdin(call: ProgramCall): Output {
  if (call.stdin === undefined) return NO_OUTPUT;
  return runInterpreterCode("powershell", call.stdin, [], call, { from: "stdin" });
}

/** Base64 of UTF-16; what cannot be decoded stays unknown, but decoded it is. */
function runEncoded(word: Value | undefined, call: ProgramCall): Output {
  if (word === undefined) return NO_OUTPUT;
  const known = knownText(word);
  const bytes = known === undefined ? undefined : decodeBase64(known);
  const code =
    bytes === undefined
      ? unknown("any", "encoded command", word.origins)
      : text(decodeUtf16LittleEndian(bytes), word.origins);
  const decoded = withOrigins(code, [{ kind: "decoded", invocation: call.id }]);
  return runInterpreterCode("powershell", decoded, [], call, { from: "argument" });
}

function runCmd(call: ParsedCall): Output {
  const start = call.argv.findIndex(word => /^\/[ckr]$/i.test(knownText(word) ?? ""));
  if (start < 0) return [unknownOutput(call)];
  return runInterpreterCode("cmd", joinValues(call.argv.slice(start + 1), " "), [], call, {
    from: "argument",
  });
}
