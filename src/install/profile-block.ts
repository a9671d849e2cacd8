import type { UserDirectories } from "../state/index.ts";
import { basename, join, quoteWord, type System } from "../system/index.ts";
import type { FileEdit } from "./file-edit.ts";

// A block of our own in a shell's start-up file, written only when the user agreed.

const OPENING = "# >>> amplihack >>>";
const CLOSING = "# <<< amplihack <<<";

/** The text with the block in it, once. */
function withBlock(text: string, lines: readonly string[]): string {
  const block = `${[OPENING, ...lines, CLOSING].join("\n")}\n`;
  const without = withoutBlock(text);
  const start = without === "" || without.endsWith("\n") ? without : `${without}\n`;
  return `${start}${block}`;
}

export function withoutBlock(text: string): string {
  const start = text.indexOf(`${OPENING}\n`);
  const end = start < 0 ? -1 : text.indexOf(CLOSING, start);
  if (end < 0) return text;
  const after = end + CLOSING.length;
  return text.slice(0, start) + text.slice(text[after] === "\n" ? after + 1 : after);
}

export interface ProfilePlan {
  /** undefined for a shell whose files we do not know */
  readonly edit: FileEdit | undefined;
  /** what the user can do by hand */
  readonly step: string;
}

const FILES: Readonly<Record<string, string>> = {
  bash: ".bashrc",
  zsh: ".zshrc",
  sh: ".profile",
  dash: ".profile",
};

/** How to make the user's shell look into a folder. */
export function planProfile(system: System, { home }: UserDirectories, folder: string): ProfilePlan {
  const file = FILES[basename(system.env.get("SHELL") ?? "/bin/sh")];
  const line = `export PATH=${quoteWord(folder)}:"$PATH"`;
  const step = `add ${folder} to your PATH: ${line}`;
  if (file === undefined) return { edit: undefined, step };
  return {
    step,
    edit: {
      path: join(home, file),
      mode: 0o644,
      compute: current => ({ ok: true, text: withBlock(current ?? "", [line]) }),
    },
  };
}
