import { quoteWord } from "../../system/index.ts";
import type { Snippet } from "./snippet.ts";

const DOCKERFILE = /^(Dockerfile|Containerfile)(\..+)?$|\.(dockerfile|containerfile)$/i;

export function isDockerfileName(name: string): boolean {
  return DOCKERFILE.test(name);
}

/** The RUN instructions of a Dockerfile, in shell form and in list form. */
export function readDockerfile(text: string): readonly Snippet[] {
  const lines = text.split(/\r?\n/);
  const snippets: Snippet[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const [head, instruction] = /^\s*(\w+)\s+/.exec(lines[index] ?? "") ?? [];
    const line = index + 1;
    let body = (lines[index] ?? "").slice(head?.length ?? 0);
    while (/\\\s*$/.test(body) && index + 1 < lines.length) {
      index += 1;
      // Comments between continued lines are taken out by the builder.
      if (!/^\s*#/.test(lines[index] ?? "")) body = `${body.replace(/\\\s*$/, "\\")}\n${lines[index]}`;
    }
    if (instruction?.toUpperCase() !== "RUN") continue;
    const options = /^(--\w+(=\S+)?\s+)*/.exec(body)?.[0].length ?? 0;
    const place = { line, column: (head?.length ?? 0) + options + 1 };
    let command = body.slice(options);
    for (const [, dash, word] of command.matchAll(/<<(-?)["']?(\w+)["']?/g)) {
      for (index += 1; index < lines.length; index += 1) {
        command += `\n${lines[index]}`;
        if ((dash === "-" ? lines[index]?.replace(/^\t+/, "") : lines[index]) === word) break;
      }
    }
    const isBareHeredoc = /^<<-?["']?\w+["']?\s*\n/.test(command);
    snippets.push({
      text: isBareHeredoc ? `sh ${command}` : (wordsOf(command) ?? command),
      name: "RUN",
      placeOf: () => place,
      isInContainer: true,
    });
  }
  return snippets;
}

/** `["rm", "-rf", "/x"]` as shell words. */
function wordsOf(text: string): string | undefined {
  if (!text.startsWith("[")) return undefined;
  try {
    const words: unknown = JSON.parse(text);
    if (!Array.isArray(words)) return undefined;
    return words.map(word => quoteWord(String(word))).join(" ");
  } catch {
    return undefined;
  }
}
