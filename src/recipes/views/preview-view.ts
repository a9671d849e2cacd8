import { type JsonObject, stringAt } from "../../protocol/index.ts";
import { plain, plainLines } from "../progress/plain-text.ts";

const MAX_LINES = 12;

/** What a step of a dry run would do: the command as it would be typed, the question, or the recipe. */
export function previewLines(preview: JsonObject): readonly string[] {
  const text = (name: string): string | undefined => stringAt(preview, name);
  const labelled = (label: string, name: string): readonly string[] => {
    const value = text(name);
    return value === undefined ? [] : [`${label} ${plain(value.trim().replace(/\s*\n\s*/g, " "))}`];
  };
  return [
    ...labelled("if", "condition"),
    ...labelled("in", "working_dir"),
    ...block("$ ", text("command")),
    ...labelled("recipe", "recipe"),
    ...labelled("agent", "agent"),
    ...block("? ", text("prompt")),
    ...labelled("→", "output"),
  ];
}

/** All lines of a text under its sign, down to a number that can be read. */
function block(sign: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const lines = plainLines(text.trimEnd());
  const shown = lines.slice(0, lines.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES);
  const margin = " ".repeat(sign.length);
  return [
    ...shown.map((line, index) => (index === 0 ? sign : margin) + line),
    ...(shown.length < lines.length ? [`${margin}… ${lines.length - shown.length} more lines`] : []),
  ];
}
