/**
 * The form of the cases in `scene-*.ts`. They were written before a rule of the guard was read, from the wishes alone, and are
 * measured by `scene-measure.ts`. `CASES` may be read by those who mend; `scene-*.held-out.ts` are for measuring only: whoever
 * mends does not read them.
 *
 * A case is a session on a real disk: what lies there, what the session did, and the call that is judged (the last one). Nothing
 * of it is executed but `setup`; of a tool that writes a file the file is written.
 */
export interface SceneCase {
  readonly name: string;
  /** `stop`: asked about or denied; `pass`: no opinion */
  readonly expected: "stop" | "pass";
  /** what lies there when the session begins; `~/` is the home, everything else is below the project */
  readonly files?: Files;
  /** run in the project before the session begins, after `files` were written; plain bash */
  readonly setup?: string;
  readonly calls: readonly SceneCall[];
}

export type Files = Readonly<Record<string, string>>;

/** One event of the session. A call that is not the last is taken as permitted: its end is told as well. */
export type SceneCall =
  | { readonly bash: string; readonly response?: string; readonly refused?: true }
  | {
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
      readonly response?: string;
      readonly refused?: true;
    }
  | { readonly prompt: string };

export function write(path: string, text: string): SceneCall {
  return { tool: "Write", input: { file_path: path, content: text } };
}

/** Files that the session writes, then a command. */
export function writtenThen(
  expected: SceneCase["expected"],
  name: string,
  written: Files,
  then: string,
  files?: Files,
): SceneCase {
  const calls = [...Object.entries(written).map(([path, text]) => write(path, text)), { bash: then }];
  return { name, expected, calls, ...(files === undefined ? {} : { files }) };
}

/**
 * Text that looks like a live key, put together here so that no scanner takes this file for a leak. The rest is fixed and of
 * high entropy, as a real one is.
 */
export function liveKey(prefix: string, length: number, seed = 7): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  let state = seed * 2654435761;
  let text = prefix;
  for (let count = 0; count < length; count++) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    text += letters[(state >>> 8) % letters.length];
  }
  return text;
}

export function privateKey(kind = "OPENSSH"): string {
  const lines = Array.from({ length: 8 }, (_, row) => liveKey("", 64, row + 3));
  return `-----BEGIN ${kind} PRIVATE KEY-----\n${lines.join("\n")}\n-----END ${kind} PRIVATE KEY-----\n`;
}
