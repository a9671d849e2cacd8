import {
  describe,
  knownText,
  type OptionGrammar,
  type Payload,
  type ProgramEffect,
} from "../../shell/index.ts";
import { payloads, sendEffect, stdinPayloads } from "../model/payloads.ts";
import type { ParsedCall } from "../model/program.ts";
import { fieldPayload } from "./remote-copy.ts";

export const FORGE_OPTIONS: OptionGrammar = {
  values: `-bntlamBfFqRH method|X body body-file title notes notes-file repo label assignee milestone raw-field field input
    head base header jq template hostname org env visibility`,
  flags: "-y yes help|h paginate cleanup-tag confirm show-token",
  shortEquals: true,
  abbreviates: false,
};

/** Texts that everybody can read afterwards: bodies, comments and notes on the forge. */
export function publishedTexts(call: ParsedCall): readonly ProgramEffect[] {
  const { options, argv } = call;
  const line = argv.slice(1, 3).map(describe).join(" ");
  if (!/^(issue|pr|mr|release|discussion|api) ?/.test(line)) return [];
  const isApi = line.startsWith("api");
  const sent: readonly Payload[] = [
    ...payloads("body", options.valuesOf("b", "body", "t", "title", "n", "notes")),
    ...payloads("file", options.valuesOf("body-file", "notes-file", "input", ...(isApi ? [] : ["F"]))),
    ...(isApi ? options.valuesOf("f", "F", "raw-field", "field") : []).map(fieldPayload),
  ];
  const isStdinNamed = sent.some(({ value, role }) => role === "file" && knownText(value) === "-");
  return sendEffect(undefined, isStdinNamed ? [...sent, ...stdinPayloads(call)] : sent);
}
