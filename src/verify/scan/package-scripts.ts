import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { placeIn, type Snippet } from "./snippet.ts";

/** The scripts of a `package.json`. Escapes shift columns, so a finding points to where its script begins. */
export function readPackageScripts(text: string): readonly Snippet[] {
  const tree = parseTree(text);
  const scripts = tree === undefined ? undefined : findNodeAtLocation(tree, ["scripts"]);
  const placeOf = placeIn(text);
  return (scripts?.children ?? []).flatMap(({ children }) => {
    const [key, value] = children ?? [];
    if (key === undefined || value?.type !== "string") return [];
    const place = placeOf(value.offset + 1);
    return [{ text: String(value.value), name: `script ${String(key.value)}`, placeOf: () => place }];
  });
}
