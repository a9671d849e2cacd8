import type { JsonObject } from "../../protocol/index.ts";
import type { FileAction, ToolWords } from "./tool-words.ts";

/** Languages in which a tool runs code. `unknown` is code of which nothing tells the language. */
export type CodeLanguage =
  | "python"
  | "javascript"
  | "ruby"
  | "php"
  | "perl"
  | "lua"
  | "applescript"
  | "mongo"
  | "unknown";

/** Where a command runs that is not for the shell of this machine. */
export interface ElsewhereCommand {
  readonly host?: string;
  readonly container?: string;
}

/** What a member of a tool's input is, by its name, its form and the name of the tool. `member` is its path. */
export type ToolShape = { readonly member: string } & (
  | {
      readonly as: "shell";
      readonly command: string;
      readonly dialect: "posix" | "powershell" | "cmd";
      readonly elsewhere?: ElsewhereCommand;
      /** text for a program that runs already, which may be no shell */
      readonly isInput?: true;
    }
  | { readonly as: "program"; readonly argv: readonly string[]; readonly elsewhere?: ElsewhereCommand }
  | { readonly as: "sql"; readonly text: string }
  | { readonly as: "code"; readonly language: CodeLanguage; readonly text: string }
  | {
      readonly as: "file";
      readonly action: FileAction;
      readonly path: string;
      /** for `move` and `copy`: where to */
      readonly to?: string;
      /** the name of the tool does not say what it does */
      readonly isGuess?: true;
    }
);

/** A tool call in shapes. */
export interface ShapedCall {
  readonly shapes: readonly ToolShape[];
  /** the directory that the call works in, as it is written there */
  readonly directory: string | undefined;
  /** false when the arguments were too many or too deep to look at all of them */
  readonly isComplete: boolean;
}

/** An object of the input with the words of the tool that it is meant for. */
export interface Level {
  readonly tool: ToolWords;
  readonly members: JsonObject;
  /** names from the top of the input down to here */
  readonly place: readonly string[];
  /** objects around this one, the nearest last */
  readonly around: readonly JsonObject[];
}
