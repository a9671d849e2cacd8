import type { System } from "../system/system.ts";
import { OutputGone } from "./errors.ts";

export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";
const CODES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
};

/** Results go to stdout, everything said to a person to stderr. */
export interface Terminal {
  /** Writes a result; throws `OutputGone` when nobody reads any more. */
  print(text: string): void;
  printJson(value: unknown): void;
  /** Progress, notices and warnings; silent under `--quiet` unless it is a warning. */
  note(text: string): void;
  warn(text: string): void;
  /** Coloured on a terminal, plain otherwise; `stream` says where the text will go. */
  paint(style: Style, text: string, stream?: "stdout" | "stderr"): string;
  /** A person can be asked: stdin and stderr are terminals and non-interactive mode is off. */
  readonly isInteractive: boolean;
}

export function openTerminal(
  system: System,
  flags: { readonly isQuiet: boolean; readonly noColor: boolean },
): Terminal {
  const hasColor = (stream: "stdout" | "stderr"): boolean =>
    !flags.noColor && (system.env.get("NO_COLOR") ?? "") === "" && system.stdio.isTerminal(stream);
  const print = (text: string): void => {
    const result = system.stdio.writeOutput(text);
    if (result === "gone") throw new OutputGone();
    if (result !== "written") throw new Error(`cannot write to standard output: ${result.code}`);
  };
  return {
    print,
    printJson: value => print(`${JSON.stringify(value, null, 2)}\n`),
    note: text => {
      if (!flags.isQuiet) system.stdio.writeError(text);
    },
    warn: text => system.stdio.writeError(text),
    paint: (style, text, stream = "stdout") => {
      const [open, close] = CODES[style];
      return hasColor(stream) ? `\u001b[${open}m${text}\u001b[${close}m` : text;
    },
    isInteractive: isInteractive(system),
  };
}

/** Only the value `1` switches non-interactive mode on; a stdin that is no terminal does too. */
export function isInteractive(system: System): boolean {
  if (system.env.get("AMPLIHACK_NONINTERACTIVE") === "1") return false;
  return system.stdio.isTerminal("stdin") && system.stdio.isTerminal("stderr");
}
