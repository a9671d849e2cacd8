import { decodeBase64, decodeUtf16LittleEndian } from "../decode.ts";
import { knownText, text, unknown, type Value, withOrigins } from "../value.ts";
import type { Call, Model } from "../walk/call.ts";
import { unknownOutput } from "../walk/code-runs.ts";
import { NO_OUTPUT, type Output } from "../walk/output.ts";
import { joinValues } from "../words/fragments.ts";
import { runInterpreterCode } from "./run-code.ts";

/** Parameters of pwsh, in full; any unambiguous prefix is accepted, in any case. */
const VALUED = [
  "executionpolicy",
  "inputformat",
  "outputformat",
  "windowstyle",
  "version",
  "psconsolefile",
  "configurationname",
  "settingsfile",
  "workingdirectory",
  "custompipename",
];

const runPowerShell: Model = (call, id) => {
  for (let index = 1; index < call.argv.length; index += 1) {
    const word = call.argv[index];
    const written = word === undefined ? undefined : knownText(word);
    const parameter = /^(?:--?|\/)([A-Za-z]+)$/.exec(written ?? "")?.[1]?.toLowerCase();
    const rest = call.argv.slice(index + 1);
    if (parameter === undefined)
      return word === undefined || written === "-"
        ? runStdin(call, id)
        : runText(call.argv.slice(index), call, id);
    if ("command".startsWith(parameter)) return isDash(rest) ? runStdin(call, id) : runText(rest, call, id);
    if (
      ["e", "ec"].includes(parameter) ||
      (parameter.startsWith("en") && "encodedcommand".startsWith(parameter))
    )
      return runEncoded(rest[0], call, id);
    if ("file".startsWith(parameter)) return isDash(rest) ? runStdin(call, id) : [unknownOutput(call, id)];
    if (VALUED.some(name => name.startsWith(parameter)) || parameter === "ep" || parameter === "wd")
      index += 1;
  }
  return runStdin(call, id);
};

function isDash(rest: readonly Value[]): boolean {
  return rest[0] !== undefined && knownText(rest[0]) === "-";
}

function runText(words: readonly Value[], call: Call, id: number): Output {
  return runInterpreterCode("powershell", joinValues(words, " "), [], call, id, {
    from: "argument",
    road: "code",
  });
}

function runStdin(call: Call, id: number): Output {
  if (call.stdin === undefined) return NO_OUTPUT;
  return runInterpreterCode("powershell", call.stdin, [], call, id, { from: "stdin", road: "code" });
}

/** Base64 of UTF-16; what cannot be decoded stays unknown, but decoded it is. */
function runEncoded(word: Value | undefined, call: Call, id: number): Output {
  if (word === undefined) return NO_OUTPUT;
  const known = knownText(word);
  const bytes = known === undefined ? undefined : decodeBase64(known);
  const code =
    bytes === undefined
      ? unknown("any", "encoded command", word.origins)
      : text(decodeUtf16LittleEndian(bytes), word.origins);
  const decoded = withOrigins(code, [{ kind: "decoded", invocation: id }]);
  return runInterpreterCode("powershell", decoded, [], call, id, { from: "argument", road: "code" });
}

const runCmd: Model = (call, id) => {
  const start = call.argv.findIndex(word => /^\/[ckr]$/i.test(knownText(word) ?? ""));
  if (start < 0) return [unknownOutput(call, id)];
  return runInterpreterCode("cmd", joinValues(call.argv.slice(start + 1), " "), [], call, id, {
    from: "argument",
    road: "code",
  });
};

export const windowsModels: readonly (readonly [string, Model])[] = [
  ["pwsh", runPowerShell],
  ["powershell", runPowerShell],
  ["cmd", runCmd],
];
