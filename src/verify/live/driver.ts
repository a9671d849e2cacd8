import { HOST_LIST, type HostId, type LiveDriver } from "../../hosts/index.ts";
import type { AgentName } from "../../state/index.ts";

/** How to start one host without a screen, against the scripted model. */
export interface HostDriver extends LiveDriver {
  readonly host: HostId;
  /** the name by which its program is found */
  readonly agent: AgentName;
}

export const DRIVERS: readonly HostDriver[] = HOST_LIST.flatMap(({ id, setup }) => {
  const { live, agent } = setup?.() ?? {};
  return typeof live === "object" && agent !== undefined ? [{ ...live, host: id, agent: agent.name }] : [];
});
