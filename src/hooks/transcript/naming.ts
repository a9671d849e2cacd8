import { canonicalToolName } from "../../hosts/canonical-tool.ts";
import { HOSTS } from "../../hosts/descriptors.ts";
import { HOST_IDS } from "../../hosts/host.ts";
import type { Naming } from "./parts.ts";

/** Canonical names for the tools in a host's session files. */
export function toolNaming(host: string): Naming {
  const descriptor = HOSTS[HOST_IDS.find(id => id === host) ?? "claude-code"];
  return name => canonicalToolName(descriptor, name, {});
}
