export interface FileVersion {
  readonly path: string;
  readonly text: string;
}

export interface CollectedCommand {
  readonly command: string;
  readonly source: string;
  /** the file in which it was seen first */
  readonly file: string;
  /** how many versions of files have it */
  readonly versions: number;
}

export interface CollectingTools {
  readonly readSnippets: (
    path: string,
    text: string,
  ) => readonly { readonly text: string; readonly name: string; readonly isPowerShell?: boolean }[];
  readonly isProgram: (name: string) => boolean;
  readonly quoteWord: (word: string) => string;
}

export interface Omitted {
  readonly variable: number;
  readonly unreadable: number;
}

export function readVersions(root: string, commit?: string): readonly FileVersion[];
export function collectCommands(
  versions: readonly FileVersion[],
  tools: CollectingTools,
): { readonly commands: readonly CollectedCommand[]; readonly omitted: Omitted };
