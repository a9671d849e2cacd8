import { canonicalToolName, hostOrDefault } from "../hosts/index.ts";
import type { Naming } from "./parts.ts";

/** Canonical names for the tools in a host's session files. */
export function toolNaming(host: string): Naming {
  const descriptor = hostOrDefault(host);
  return name => canonicalToolName(descriptor, name, {});
}
