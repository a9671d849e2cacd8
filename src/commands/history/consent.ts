import { askYesOrNo, type Terminal } from "../../cli/index.ts";

interface Consent {
  /** the person agreed beforehand, by an option */
  readonly isGiven: boolean;
  /** a program reads the output: ask no questions and print nothing here */
  readonly isJson: boolean;
  readonly preview: (stream: "stdout" | "stderr") => string;
  readonly question: string;
}

/** Shows what would happen and asks. Without a terminal to ask at the answer is no, and the preview is the result. */
export function hasConsent(terminal: Terminal, { isGiven, isJson, preview, question }: Consent): boolean {
  if (isGiven) return true;
  if (isJson) return false;
  if (!terminal.isInteractive) {
    terminal.print(preview("stdout"));
    terminal.warn("Nothing was changed, as there is no terminal to ask at. Add --yes to do it.\n");
    return false;
  }
  terminal.warn(preview("stderr"));
  if (askYesOrNo(terminal, question)) return true;
  terminal.warn("Nothing was changed.\n");
  return false;
}
