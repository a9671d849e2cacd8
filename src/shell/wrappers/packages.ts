import { type OptionSpec, optionNames, parseOptions } from "../options.ts";
import { joinPath } from "../paths.ts";
import { knownText, text } from "../value.ts";
import type { Call, Model } from "../walk/call.ts";
import { unknownOutput } from "../walk/code-runs.ts";
import { appendOutput, NO_OUTPUT, type Output } from "../walk/output.ts";
import { runWrittenScripts } from "./package-scripts.ts";
import { runPrefix } from "./prefix.ts";
import { runString } from "./strings.ts";

/** Package managers whose subcommand runs a program: `npm exec`, `pnpm dlx`, `yarn dlx`, `bun x`, `npx -c`. */

const EXEC: OptionSpec = {
  flags: optionNames("", "y yes no silent q quiet ws include-workspace-root bun parallel r recursive"),
  values: optionNames("", "p package c call w workspace C prefix dir filter F cwd shell-mode"),
  as: { call: "c", prefix: "C", dir: "C", cwd: "C" },
};

const RUNNERS: Readonly<Record<string, readonly string[]>> = {
  npm: ["exec", "x"],
  pnpm: ["dlx", "exec"],
  yarn: ["dlx", "exec"],
  bun: ["x"],
  pipx: ["run"],
};

function packageManager(name: string, otherwise: Model | undefined): Model {
  const subcommands = RUNNERS[name] ?? [];
  return (call, id) => {
    const before = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true });
    const first = before.operands[0];
    const directory = before.valueOf("C");
    const there: Call = directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
    if (first === undefined || !subcommands.includes(knownText(first.value) ?? "")) {
      const operands = before.operands.map(operand => operand.value);
      runWrittenScripts(name, operands, there, id);
      return otherwise?.(call, id) ?? [unknownOutput(call, id)];
    }
    return runPackage({ ...there, argv: [text(name), ...call.argv.slice(first.index + 1)] }, id);
  };
}

/** `-c TEXT` is a shell string; otherwise the first operand is the program. */
function runPackage(call: Call, id: number): Output {
  const codes = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true }).valuesOf("c");
  const strings = codes.map(code => runString(code, call, id)).reduce(appendOutput, NO_OUTPUT);
  if (codes.length > 0) return strings;
  return runPrefix({ names: "", options: EXEC, isPackage: true }, call, id);
}

export function packageModels(
  interpreter: (program: string) => Model | undefined,
): readonly (readonly [string, Model])[] {
  return [
    ...Object.keys(RUNNERS).map(name => [name, packageManager(name, interpreter(name))] as const),
    ...["npx", "bunx", "pnpx", "uvx"].map(name => [name, runPackage] as const),
  ];
}
