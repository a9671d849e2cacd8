import { styleText } from "node:util";
import type { System } from "../system/index.ts";
import { OutputGone, OutputLost } from "./errors.ts";
import { fitLines } from "./layout.ts";

type Output = "stdout" | "stderr";
export type Style = "bold" | "dim" | "red" | "green" | "yellow" | "cyan";

/** Results go to stdout, everything said to a person to stderr. */
export interface Terminal {
  /** Writes a result; throws `OutputGone` when the reader has gone. */
  print(text: string): void;
  printJson(value: unknown): void;
  /** Writes a result in the form that `--format` asks for; at a terminal long lines break between words. */
  printResult(format: string, value: unknown, text: string): void;
  /** Progress, notices and warnings; silent under `--quiet` unless it is a warning. */
  note(text: string): void;
  warn(text: string): void;
  /** Coloured on a terminal, plain otherwise; `stream` says where the text will go. */
  paint(style: Style, text: string, stream?: Output): string;
  /** A person can be asked: stdin and stderr are terminals and non-interactive mode is off. */
  readonly isInteractive: boolean;
  /** A person watches, and does not want JSON alone: what takes long may say so. */
  readonly showsProgress: boolean;
  /** how wide the terminal is that results are shown on; undefined where they go elsewhere */
  readonly columns: number | undefined;
}

export function openTerminal(
  system: System,
  flags: { readonly isQuiet: boolean; readonly noColor: boolean; readonly isJson: boolean },
): Terminal {
  const terminals = new Map<Output, boolean>();
  const isTerminal = (stream: Output): boolean => {
    const is = terminals.get(stream) ?? system.stdio.isTerminal(stream);
    terminals.set(stream, is);
    return is;
  };
  const hasColor = (stream: Output): boolean =>
    !flags.noColor && (system.env.get("NO_COLOR") ?? "") === "" && isTerminal(stream);
  const print = (text: string): void => {
    const result = system.stdio.writeOutput(text);
    if (result === "gone") throw new OutputGone();
    if (typeof result === "object") throw new OutputLost(result.code);
  };
  const fitTo = (text: string, stream: Output): string =>
    isTerminal(stream) ? fitLines(text, { columns: process[stream].columns }) : text;
  const printJson = (value: unknown): void => print(`${JSON.stringify(value, null, 2)}\n`);
  return {
    print,
    printJson,
    printResult: (format, value, text) =>
      format === "json" ? printJson(value) : print(fitTo(text, "stdout")),
    note: text => {
      if (!flags.isQuiet) system.stdio.writeError(fitTo(text, "stderr"));
    },
    warn: text => system.stdio.writeError(fitTo(text, "stderr")),
    paint: (style, text, stream = "stdout") =>
      hasColor(stream) ? styleText(style, text, { validateStream: false }) : text,
    isInteractive: isInteractive(system),
    showsProgress: isTerminal("stderr") && !flags.isQuiet && !flags.isJson,
    columns: isTerminal("stdout") ? process.stdout.columns : undefined,
  };
}

/** Only the value `1` switches non-interactive mode on; a stdin that is no terminal does too. */
export function isInteractive(system: System): boolean {
  if (system.env.get("AMPLIHACK_NONINTERACTIVE") === "1") return false;
  return system.stdio.isTerminal("stdin") && system.stdio.isTerminal("stderr");
}
