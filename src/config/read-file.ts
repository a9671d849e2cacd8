import { errorText, type Json } from "../protocol/index.ts";
import { type FileFacts, hasErrorCode, type System } from "../system/index.ts";
import { findRepeatedMember, readJsonc } from "./jsonc.ts";
import { readWholeMembers } from "./last-good.ts";
import type { ConfigNotice } from "./schema.ts";

/** A larger file does not count. */
export const MAX_CONFIG_BYTES = 256 * 1024;

/** A configuration file as far as it can be read. */
export interface ReadConfigFile {
  readonly bytes: Uint8Array;
  /** undefined for a file without anything in it */
  readonly value: Json | undefined;
  /** why `value` is not all of it; undefined when it is */
  readonly problem?: { readonly code: ConfigNotice["code"]; readonly text: string } | undefined;
}

/** Undefined when there is no such file. `refuse` says why a file with these facts must not count. */
export function readConfigFile(
  { files, text }: Pick<System, "files" | "text">,
  path: string,
  refuse: (facts: FileFacts) => string | undefined,
): ReadConfigFile | undefined {
  const nothing = (code: ConfigNotice["code"], problem: string): ReadConfigFile => ({
    bytes: new Uint8Array(),
    value: {},
    problem: { code, text: problem },
  });
  try {
    const named = files.inspect(path);
    if (named === undefined) return undefined;
    const facts = named.kind === "symlink" ? files.follow(path) : named;
    // There are settings, and they are away.
    if (facts === undefined) return nothing("broken", "it is a link that leads nowhere");
    const refusal = refuse(facts);
    if (refusal !== undefined) return nothing("untrusted-file", refusal);
    // A pipe would be waited for.
    if (facts.kind !== "file")
      return nothing("broken", `it is ${facts.kind === "directory" ? "a folder" : "not a file"}`);
    const bytes = files.read(path, MAX_CONFIG_BYTES);
    const decoded = text.decode(bytes);
    const read = readJsonc(decoded.text);
    const repeated = findRepeatedMember(decoded.text);
    const twice =
      repeated === undefined
        ? undefined
        : ({ code: "broken", text: `"${repeated}" is in it twice` } as const);
    if (!decoded.replaced && read.ok) return { bytes, value: read.value, problem: twice };
    if (!decoded.replaced && !read.ok && read.problem === "empty") return { bytes, value: undefined };
    const legible = decoded.replaced
      ? decoded.text.slice(0, decoded.text.indexOf(REPLACEMENT))
      : decoded.text;
    const why = decoded.replaced
      ? "not UTF-8"
      : `not valid JSON${read.ok || read.problem === "malformed" ? "" : ` (${read.problem})`}`;
    return { bytes, value: readWholeMembers(legible), problem: { code: "broken", text: why } };
  } catch (error) {
    if (hasErrorCode(error, "ENOENT", "ENOTDIR")) return undefined;
    return nothing("broken", `could not be read: ${errorText(error)}`);
  }
}

const REPLACEMENT = "\ufffd";
