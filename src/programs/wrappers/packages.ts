import { type OptionGrammar, parseOptions } from "../../shell/options.ts";
import { joinPath } from "../../shell/paths.ts";
import { knownText, text } from "../../shell/value.ts";
import type { Model, ProgramCall } from "../../shell/walk/call.ts";
import { unknownOutput } from "../../shell/walk/code-runs.ts";
import { appendOutput, NO_OUTPUT, type Output } from "../../shell/walk/output.ts";
import { runWrittenScripts } from "./package-scripts.ts";
import { runPrefix } from "./prefix.ts";
import { runString } from "./strings.ts";

/** Package managers whose subcommand runs a program: `npm exec`, `pnpm dlx`, `yarn dlx`, `bun x`, `npx -c`. */

const EXEC: OptionGrammar = {
  flags: "-yqr yes no silent quiet ws include-workspace-root bun parallel recursive",
  values: "-pwF package c|call workspace C|prefix|dir|cwd filter shell-mode",
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
  return call => {
    const before = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true });
    const first = before.operands[0];
    const directory = before.valueOf("C");
    const there: ProgramCall =
      directory === undefined ? call : { ...call, cwd: joinPath(call.cwd, directory) };
    if (first === undefined || !subcommands.includes(knownText(first.value) ?? "")) {
      const operands = before.operands.map(operand => operand.value);
      runWrittenScripts(name, operands, there);
      return otherwise?.(call) ?? [unknownOutput(call)];
    }
    return runPackage({ ...there, argv: [text(name), ...call.argv.slice(first.index + 1)] });
  };
}

/** `-c TEXT` is a shell string; otherwise the first operand is the program. */
function runPackage(call: ProgramCall): Output {
  const codes = parseOptions(call.argv, { ...EXEC, stopsAtOperand: true }).valuesOf("c");
  const strings = codes.map(code => runString(code, call)).reduce(appendOutput, NO_OUTPUT);
  if (codes.length > 0) return strings;
  return runPrefix({ names: "", options: EXEC, isPackage: true }, call);
}

export function packageModels(
  interpreter: (program: string) => Model | undefined,
): readonly (readonly [string, Model])[] {
  return [
    ...Object.keys(RUNNERS).map(name => [name, packageManager(name, interpreter(name))] as const),
    ...["npx", "bunx", "pnpx", "uvx"].map(name => [name, runPackage] as const),
  ];
}
