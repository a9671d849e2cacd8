import { HOST_LIST } from "./descriptors.ts";

/** How all hosts call their tools, and the canonical names themselves, each with the name that rules use. */
export function makeToolNames(): readonly (readonly [name: string, canonical: string])[] {
  const names = new Map<string, string>();
  for (const { tools } of HOST_LIST) {
    for (const [native, canonical] of Object.entries(tools)) {
      if (!names.has(native)) names.set(native, canonical);
      names.set(canonical, canonical);
    }
  }
  return [...names];
}
