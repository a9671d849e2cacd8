import { isJsonObject } from "../../protocol/index.ts";
import type { ModelRequest, ToolCall } from "./script.ts";

/** What the model answers: a call of a tool, or text. */
export type ModelAnswer =
  | { readonly kind: "call"; readonly call: ToolCall; readonly id: string }
  | { readonly kind: "text"; readonly text: string };

export interface HttpAnswer {
  readonly type: string;
  readonly body: string;
}

/** An API by which hosts reach models. */
export interface Protocol {
  readonly name: string;
  readonly matches: (path: string) => boolean;
  readonly read: (body: Members) => ModelRequest;
  readonly answer: (answer: ModelAnswer, body: Members, path: string) => HttpAnswer;
}

export type Members = Readonly<Record<string, unknown>>;

/** The objects of a list. */
export function objectsIn(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

export function json(value: unknown): HttpAnswer {
  return { type: "application/json", body: JSON.stringify(value) };
}

/** Server-sent events; with names where the protocol names them. */
export function events(values: readonly Members[], isNamed: boolean, last = ""): HttpAnswer {
  const lines = values.map(
    value => `${isNamed ? `event: ${String(value["type"])}\n` : ""}data: ${JSON.stringify(value)}\n\n`,
  );
  return { type: "text/event-stream", body: lines.join("") + last };
}

export function parametersOf(schema: unknown): readonly string[] {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  return isJsonObject(properties) ? Object.keys(properties) : [];
}
