import { CommandError } from "../../cli/index.ts";
import type { ValueType } from "../../memory/index.ts";

/** A value that is not what it claims to be would break its readers. */
export async function checkValue(value: string, type: ValueType): Promise<void> {
  try {
    if (type === "json") JSON.parse(value);
    if (type !== "yaml") return;
    const { parseAllDocuments } = await import("yaml");
    const [error] = [...parseAllDocuments(value)].flatMap(document => document.errors);
    if (error !== undefined) throw error;
  } catch {
    throw new CommandError(`the value is not valid ${type.toUpperCase()}`, {
      kind: "invalid",
      fix: "correct it, or store it with --type text",
    });
  }
}
